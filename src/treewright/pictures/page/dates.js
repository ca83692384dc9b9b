// Dates as numbers: how many units since 1970, counted as NumPy does.

const TICKS_PER_SECOND = { s: 1n, ms: 1000n, us: 1000000n, ns: 1000000000n };
const SECONDS_PER_UNIT = { m: 60, h: 3600, D: 86400, W: 604800 };
const UNIT_WORDS = {
  Y: "years",
  M: "months",
  W: "weeks",
  D: "days",
  h: "hours",
  m: "minutes",
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
};

// `2024-05-17`, `2024-05`, `2024-05-17 14:30:05.25` in a unit of NumPy, also parts of one; null if it
// is no date.
function dateCount(text, unit) {
  const form =
    /^(-?\d{1,6})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?)?$/;
  const parts = form.exec(text.trim());
  if (!parts) return null;
  const [year, month, day, hour, minute, second] = parts
    .slice(1, 7)
    .map((part) => (part === undefined ? null : Number(part)));
  const date = new Date(0);
  date.setUTCFullYear(year, (month ?? 1) - 1, day ?? 1);
  if (
    date.getUTCMonth() !== (month ?? 1) - 1 ||
    (hour ?? 0) > 23 ||
    (minute ?? 0) > 59 ||
    (second ?? 0) > 59
  )
    return null;
  if (unit === "Y") return year - 1970;
  if (unit === "M") return (year - 1970) * 12 + (month ?? 1) - 1;
  const seconds =
    BigInt(date.getTime() / 1000) + BigInt((hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0));
  const billionths = (parts[7] || "").padEnd(9, "0");
  if (unit in SECONDS_PER_UNIT) {
    return (Number(seconds) + Number(`0.${billionths}`)) / SECONDS_PER_UNIT[unit];
  }
  const ticks = TICKS_PER_SECOND[unit];
  if (ticks === undefined) return null;
  const fraction = BigInt(billionths) * ticks;
  const whole = seconds * ticks + fraction / 1000000000n;
  return Number(whole) + Number(fraction % 1000000000n) / 1e9;
}

function unitOf(column) {
  const [, kind, step] = /^(\w+)\[(\w+)\]$/.exec(column.unit);
  return { isDate: kind === "datetime64", step };
}
