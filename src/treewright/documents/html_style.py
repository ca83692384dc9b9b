"""How a page looks in a browser and on paper."""

STYLE = """\
.tw-page { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
.tw-page h1 { font-size: 1.6em; line-height: 1.25; }
.tw-page h2 { font-size: 1.25em; margin: 2.2em 0 0.4em; padding-top: 0.5em; border-top: 2px solid;
  line-height: 1.3; }
.tw-page h3 { font-size: 1.05em; margin: 1.4em 0 0.3em; }
.tw-page h1, .tw-page h2, .tw-page h3 { overflow-wrap: anywhere; break-after: avoid; }
.tw-page p { margin: 0.5em 0; overflow-wrap: anywhere; }
.tw-page .wide { overflow-x: auto; margin: 0.6em 0 1em; }
.tw-page table { border-collapse: collapse; font-size: 0.95em; width: auto; }
.tw-page th, .tw-page td { padding: 0.15em 0.7em; text-align: left; vertical-align: baseline;
  border: 0; max-width: 24em; overflow-wrap: anywhere; }
.tw-page thead th { border-bottom: 1px solid; font-weight: 600; overflow-wrap: normal; }
.tw-page tbody { border-bottom: 1px solid rgba(128, 128, 128, 0.5); }
.tw-page .r { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.tw-page td.r { white-space: nowrap; }
.tw-page .marked { font-weight: bold; background: rgba(90, 150, 230, 0.18); }
.tw-page caption { text-align: left; padding-bottom: 0.2em; }
.tw-page td:first-child { min-width: 7em; }
.tw-page .long td { max-width: 40em; }
.tw-page .long td:first-child { min-width: 0; }
.tw-page .formula { margin: 0.5em 0; padding: 0.1em 0 0.1em 3.5em; text-indent: -1.5em;
  line-height: 2; overflow-x: auto; overflow-y: hidden; }
.tw-page math { font-size: 1.1em; text-indent: 0; margin: 0.12em 0; }
.tw-page .note { opacity: 0.75; font-size: 0.92em; }
.tw-page pre { overflow-x: auto; line-height: 1.35; font-size: 0.88em; }
.tw-page svg { max-width: 100%; height: auto; }
.tw-page figure { margin: 1em 0; overflow-x: auto; }
.tw-page a { color: inherit; }
.tw-page .facts { display: flex; flex-wrap: wrap; gap: 0.7em; margin: 1.2em 0; padding: 0; }
.tw-page .facts div { border: 1px solid rgba(128, 128, 128, 0.45); border-radius: 6px;
  padding: 0.5em 0.9em; min-width: 7em; flex: 1 1 7em; }
.tw-page .facts dt { font-size: 0.88em; }
.tw-page .facts dd { margin: 0; font-size: 0.82em; }
.tw-page .facts dd.value { font-size: 1.45em; line-height: 1.3; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.tw-page .contents, .tw-page .facts { overflow-wrap: anywhere; }
.tw-page .contents { font-size: 0.92em; margin: 1em 0; }
.tw-page .contents ul { list-style: none; margin: 0; padding: 0; display: flex;
  flex-wrap: wrap; gap: 0.2em 1.3em; }
.tw-page .blank { display: inline-block; min-width: 5em; border-bottom: 1px solid;
  font-size: 0.75em; opacity: 0.8; text-align: left; }
@media screen and (min-width: 1200px) {
  .tw-page:has(> .contents) { margin-left: max(15rem, calc(50vw - 28rem)); }
  .tw-page .contents { position: fixed; top: 1.4rem; left: max(1.5rem, calc(50vw - 42rem));
    width: 12rem; margin: 0; max-height: 92vh; overflow-y: auto; }
  .tw-page .contents ul { display: block; }
  .tw-page .contents a { display: block; text-decoration: none; padding: 0.35em 0.8em;
    border-left: 3px solid rgba(128, 128, 128, 0.3); }
  .tw-page .contents a:hover, .tw-page .contents a:focus { border-color: currentcolor; } }
@media screen and (max-width: 600px) { .tw-page figure svg { max-width: none; } }
@media print { .tw-page { max-width: none; padding: 0; font-size: 11pt; }
  .tw-page tr, .tw-page .whole, .tw-page .formula, .tw-page figure { break-inside: avoid; }
  .tw-page .long tr { break-inside: auto; } .tw-page thead { break-after: avoid; }
  .tw-page figure svg { width: auto; max-height: 130mm; }
  .tw-page figure + .note { break-before: avoid; }
  .tw-page .wide, .tw-page pre { overflow: visible; } .tw-page pre { white-space: pre-wrap; }
  .tw-page .facts { break-inside: avoid; }
  .tw-page td, .tw-page .marked { print-color-adjust: exact;
    -webkit-print-color-adjust: exact; } }"""
