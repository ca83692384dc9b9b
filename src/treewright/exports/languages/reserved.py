"""Words of each language that a column cannot be called by."""


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


C_WORDS = words_in(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default
    delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new not nullptr operator or private protected public register restrict return
    short signed sizeof static static_assert struct switch template this thread_local throw true try
    typedef typename typeof union unsigned using virtual void volatile while xor
    """
)
JAVA_WORDS = words_in(
    """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends false final finally float for goto if implements import instanceof int interface
    long native new null package permits private protected public record return sealed short static
    strictfp super switch synchronized this throw throws transient true try var void volatile while
    yield
    """
)
# Columns become variables here, so what the program itself defines is taken too.
JAVASCRIPT_WORDS = words_in(
    """
    arguments async await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let
    new null of package private protected public return static super switch this throw true try
    typeof undefined var void while with yield
    CLASSES COSTS Infinity Math NaN Number add answer decide level number predict predictProba
    refuseUnseen row total
    """
)
RUST_WORDS = words_in(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self
    static struct super trait true try type typeof unsafe unsized use virtual where while yield
    """
)
