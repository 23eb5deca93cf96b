#include "model/java/class.h"

/* ---- the table ---- */

enum { CLASS_IMPORTED = 1, CLASS_ABSTRACT = 2, CLASS_INTERFACE = CLASS_ABSTRACT | 4, CLASS_HIDDEN = 8, CLASS_FINAL = 16 };

struct java_class {
    const char *name;
    const char *shown; /* in the compiler's messages */
    enum java_kind parents[4];
    unsigned parameters;
    unsigned flags;
};

#define LANG(name)  "java.lang." name, name
#define UTIL(name)  "java.util." name, name
#define REGEX(name) "java.util.regex." name, name
#define TIME(name) "java.time." name, name
#define TEMPORAL(name) "java.time.temporal." name, name
#define CHRONO(name) "java.time.chrono." name, name
#define GUAVA(name) "com.google.common.collect." name, name
#define FUNCTIONS   "org.apache.cassandra.cql3.functions."

static const struct java_class classes[J_KIND_COUNT] = {
    [J_ERROR] = { "?", "?", { 0 }, 0, 0 },
    [J_VOID] = { "void", "void", { 0 }, 0, 0 },
    [J_NULL] = { "null", "null", { 0 }, 0, 0 },
    [J_BOOLEAN] = { "boolean", "boolean", { 0 }, 0, 0 },
    [J_CHAR] = { "char", "char", { 0 }, 0, 0 },
    [J_BYTE] = { "byte", "byte", { 0 }, 0, 0 },
    [J_SHORT] = { "short", "short", { 0 }, 0, 0 },
    [J_INT] = { "int", "int", { 0 }, 0, 0 },
    [J_LONG] = { "long", "long", { 0 }, 0, 0 },
    [J_FLOAT] = { "float", "float", { 0 }, 0, 0 },
    [J_DOUBLE] = { "double", "double", { 0 }, 0, 0 },
    [J_OBJECT] = { LANG("Object"), { 0 }, 0, CLASS_IMPORTED },
    [J_STRING] = { LANG("String"), { J_CHAR_SEQUENCE, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_CHAR_SEQUENCE] = { LANG("CharSequence"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_COMPARABLE] = { LANG("Comparable"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_NUMBER] = { LANG("Number"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_BOX_BOOLEAN] = { LANG("Boolean"), { J_OBJECT, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_CHAR] = { LANG("Character"), { J_OBJECT, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_BYTE] = { LANG("Byte"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_SHORT] = { LANG("Short"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_INT] = { LANG("Integer"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_LONG] = { LANG("Long"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_FLOAT] = { LANG("Float"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BOX_DOUBLE] = { LANG("Double"), { J_NUMBER, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_ITERABLE] = { LANG("Iterable"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_COLLECTION] = { UTIL("Collection"), { J_ITERABLE }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_LIST] = { UTIL("List"), { J_COLLECTION }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_ARRAY_LIST] = { UTIL("ArrayList"), { J_LIST }, 1, CLASS_IMPORTED },
    [J_LINKED_LIST] = { UTIL("LinkedList"), { J_LIST, J_DEQUE }, 1, CLASS_IMPORTED },
    [J_SET] = { UTIL("Set"), { J_COLLECTION }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_HASH_SET] = { UTIL("HashSet"), { J_SET }, 1, CLASS_IMPORTED },
    [J_LINKED_HASH_SET] = { UTIL("LinkedHashSet"), { J_HASH_SET }, 1, CLASS_IMPORTED },
    [J_TREE_SET] = { UTIL("TreeSet"), { J_NAVIGABLE_SET }, 1, CLASS_IMPORTED },
    [J_MAP] = { UTIL("Map"), { J_OBJECT }, 2, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_HASH_MAP] = { UTIL("HashMap"), { J_MAP }, 2, CLASS_IMPORTED },
    [J_LINKED_HASH_MAP] = { UTIL("LinkedHashMap"), { J_HASH_MAP }, 2, CLASS_IMPORTED },
    [J_TREE_MAP] = { UTIL("TreeMap"), { J_NAVIGABLE_MAP }, 2, CLASS_IMPORTED },
    [J_ENTRY] = { "java.util.Map$Entry", "Map.Entry", { J_OBJECT }, 2, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_ITERATOR] = { UTIL("Iterator"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_CLASS] = { LANG("Class"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_ROUNDING_MODE] = { "java.math.RoundingMode", "RoundingMode", { J_ENUM }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_MATH] = { LANG("Math"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_ARRAYS] = { UTIL("Arrays"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_COLLECTIONS] = { UTIL("Collections"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_OBJECTS] = { UTIL("Objects"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_SYSTEM] = { LANG("System"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_STRING_BUILDER] = { LANG("StringBuilder"), { J_CHAR_SEQUENCE, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_BIG_INTEGER] = { "java.math.BigInteger", "BigInteger", { J_NUMBER, J_COMPARABLE }, 0, 0 },
    [J_BIG_DECIMAL] = { "java.math.BigDecimal", "BigDecimal", { J_NUMBER, J_COMPARABLE }, 0, 0 },
    [J_UUID] = { UTIL("UUID"), { J_OBJECT, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_INET_ADDRESS] = { "java.net.InetAddress", "InetAddress", { J_OBJECT }, 0, CLASS_ABSTRACT },
    [J_DATE] = { UTIL("Date"), { J_OBJECT, J_COMPARABLE }, 0, CLASS_IMPORTED },
    [J_BYTE_BUFFER] = { "java.nio.ByteBuffer",
                        "ByteBuffer",
                        { J_OBJECT, J_COMPARABLE },
                        0,
                        CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_LOCAL_DATE] = { JAVA_TYPES_PACKAGE "LocalDate", "LocalDate", { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_DURATION] = { JAVA_TYPES_PACKAGE "Duration", "Duration", { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TUPLE_VALUE] = { JAVA_TYPES_PACKAGE "TupleValue", "TupleValue", { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_UDT_VALUE] = { JAVA_TYPES_PACKAGE "UDTValue", "UDTValue", { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_TUPLE_TYPE] = { JAVA_TYPES_PACKAGE "TupleType", "TupleType", { J_OBJECT }, 0, CLASS_ABSTRACT },
    [J_USER_TYPE] = { JAVA_TYPES_PACKAGE "UserType", "UserType", { J_OBJECT }, 0, CLASS_ABSTRACT },
    [J_UDF_CONTEXT] = { FUNCTIONS "UDFContext", "UDFContext", { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_THROWABLE] = { LANG("Throwable"), { J_OBJECT }, 0, CLASS_IMPORTED },
    [J_EXCEPTION] = { LANG("Exception"), { J_THROWABLE }, 0, CLASS_IMPORTED },
    [J_RUNTIME_EXCEPTION] = { LANG("RuntimeException"), { J_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_ARITHMETIC] = { LANG("ArithmeticException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_ILLEGAL_ARGUMENT] = { LANG("IllegalArgumentException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_ILLEGAL_STATE] = { LANG("IllegalStateException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_NUMBER_FORMAT] = { LANG("NumberFormatException"), { J_ILLEGAL_ARGUMENT }, 0, CLASS_IMPORTED },
    [J_FORMAT_CONVERSION] = { UTIL("IllegalFormatConversionException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_MISSING] = { UTIL("MissingFormatArgumentException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_UNKNOWN] = { UTIL("UnknownFormatConversionException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_NULL_POINTER] = { LANG("NullPointerException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_INDEX] = { LANG("IndexOutOfBoundsException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_ARRAY_INDEX] = { LANG("ArrayIndexOutOfBoundsException"), { J_INDEX }, 0, CLASS_IMPORTED },
    [J_ARRAY_STORE] = { LANG("ArrayStoreException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_STRING_INDEX] = { LANG("StringIndexOutOfBoundsException"), { J_INDEX }, 0, CLASS_IMPORTED },
    [J_CLASS_CAST] = { LANG("ClassCastException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_UNSUPPORTED] = { LANG("UnsupportedOperationException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_NO_SUCH_ELEMENT] = { UTIL("NoSuchElementException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_NEGATIVE_SIZE] = { LANG("NegativeArraySizeException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_BUFFER_UNDERFLOW] = { "java.nio.BufferUnderflowException",
                             "BufferUnderflowException",
                             { J_RUNTIME_EXCEPTION },
                             0,
                             CLASS_HIDDEN },
    [J_BUFFER_OVERFLOW] = { "java.nio.BufferOverflowException",
                            "BufferOverflowException",
                            { J_RUNTIME_EXCEPTION },
                            0,
                            CLASS_HIDDEN },
    [J_CODEC_NOT_FOUND] = { JAVA_TYPES_PACKAGE "exceptions.CodecNotFoundException",
                            "CodecNotFoundException",
                            { J_RUNTIME_EXCEPTION },
                            0,
                            0 },
    [J_INVALID_TYPE] = { JAVA_TYPES_PACKAGE "exceptions.InvalidTypeException", "InvalidTypeException", { J_RUNTIME_EXCEPTION }, 0, 0 },
    [J_JAVA_ERROR] = { LANG("Error"), { J_THROWABLE }, 0, CLASS_IMPORTED },
    [J_OUT_OF_MEMORY] = { LANG("OutOfMemoryError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_STRING_BUFFER] = { LANG("StringBuffer"), { J_CHAR_SEQUENCE, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_MATCH_RESULT] = { REGEX("MatchResult"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_MATCHER] = { REGEX("Matcher"), { J_MATCH_RESULT }, 0, CLASS_FINAL },
    [J_PATTERN] = { REGEX("Pattern"), { J_OBJECT }, 0, CLASS_FINAL },
    [J_PATTERN_SYNTAX] = { REGEX("PatternSyntaxException"), { J_ILLEGAL_ARGUMENT }, 0, 0 },
    [J_FORMAT] = { UTIL("IllegalFormatException"), { J_ILLEGAL_ARGUMENT }, 0, CLASS_IMPORTED },
    [J_FORMAT_PRECISION] = { UTIL("IllegalFormatPrecisionException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_WIDTH] = { UTIL("IllegalFormatWidthException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_FLAGS] = { UTIL("IllegalFormatFlagsException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_MISMATCH] = { UTIL("FormatFlagsConversionMismatchException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_DUPLICATE] = { UTIL("DuplicateFormatFlagsException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_NO_WIDTH] = { UTIL("MissingFormatWidthException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_INDEX] = { UTIL("IllegalFormatArgumentIndexException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_FORMAT_CODE_POINT] = { UTIL("IllegalFormatCodePointException"), { J_FORMAT }, 0, CLASS_IMPORTED },
    [J_STRICT_MATH] = { LANG("StrictMath"), { J_MATH }, 0, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_CLASS_LOADER] = { LANG("ClassLoader"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_INPUT_MISMATCH] = { UTIL("InputMismatchException"), { J_NO_SUCH_ELEMENT }, 0, CLASS_IMPORTED },
    [J_CONCURRENT_CHANGE] = { UTIL("ConcurrentModificationException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_EMPTY_STACK] = { UTIL("EmptyStackException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_MISSING_RESOURCE] = { UTIL("MissingResourceException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_SECURITY] = { LANG("SecurityException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_ACCESS_CONTROL] = { "java.security.AccessControlException", "AccessControlException", { J_SECURITY }, 0, CLASS_HIDDEN },
    [J_ILLEGAL_MONITOR] = { LANG("IllegalMonitorStateException"), { J_RUNTIME_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_DATE_TIME] = { "java.time.DateTimeException", "DateTimeException", { J_RUNTIME_EXCEPTION }, 0, 0 },
    [J_REFLECTIVE] = { LANG("ReflectiveOperationException"), { J_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_CLASS_NOT_FOUND] = { LANG("ClassNotFoundException"), { J_REFLECTIVE }, 0, CLASS_IMPORTED },
    [J_INSTANTIATION] = { LANG("InstantiationException"), { J_REFLECTIVE }, 0, CLASS_IMPORTED },
    [J_ILLEGAL_ACCESS] = { LANG("IllegalAccessException"), { J_REFLECTIVE }, 0, CLASS_IMPORTED },
    [J_NO_SUCH_FIELD] = { LANG("NoSuchFieldException"), { J_REFLECTIVE }, 0, CLASS_IMPORTED },
    [J_NO_SUCH_METHOD] = { LANG("NoSuchMethodException"), { J_REFLECTIVE }, 0, CLASS_IMPORTED },
    [J_CLONE_NOT_SUPPORTED] = { LANG("CloneNotSupportedException"), { J_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_INTERRUPTED] = { LANG("InterruptedException"), { J_EXCEPTION }, 0, CLASS_IMPORTED },
    [J_IO] = { "java.io.IOException", "IOException", { J_EXCEPTION }, 0, 0 },
    [J_UNKNOWN_HOST] = { "java.net.UnknownHostException", "UnknownHostException", { J_IO }, 0, 0 },
    [J_PARSE_EXCEPTION] = { "java.text.ParseException", "ParseException", { J_EXCEPTION }, 0, 0 },
    [J_STACK_OVERFLOW] = { LANG("StackOverflowError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_INTERNAL_ERROR] = { LANG("InternalError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_UNKNOWN_ERROR] = { LANG("UnknownError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_ASSERTION] = { LANG("AssertionError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_LINKAGE] = { LANG("LinkageError"), { J_JAVA_ERROR }, 0, CLASS_IMPORTED },
    [J_QUEUE] = { UTIL("Queue"), { J_COLLECTION }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_DEQUE] = { UTIL("Deque"), { J_QUEUE }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_ARRAY_DEQUE] = { UTIL("ArrayDeque"), { J_DEQUE }, 1, CLASS_IMPORTED },
    [J_PRIORITY_QUEUE] = { UTIL("PriorityQueue"), { J_QUEUE }, 1, CLASS_IMPORTED },
    [J_VECTOR] = { UTIL("Vector"), { J_LIST }, 1, CLASS_IMPORTED },
    [J_STACK] = { UTIL("Stack"), { J_VECTOR }, 1, CLASS_IMPORTED },
    [J_IMMUTABLE_LIST] = { GUAVA("RegularImmutableList"), { J_LIST }, 1, CLASS_HIDDEN },
    [J_IMMUTABLE_ONE] = { GUAVA("SingletonImmutableList"), { J_LIST }, 1, CLASS_HIDDEN },
    [J_SORTED_MAP] = { UTIL("SortedMap"), { J_MAP }, 2, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_NAVIGABLE_MAP] = { UTIL("NavigableMap"), { J_SORTED_MAP }, 2, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_SORTED_SET] = { UTIL("SortedSet"), { J_SET }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_NAVIGABLE_SET] = { UTIL("NavigableSet"), { J_SORTED_SET }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
    [J_MATH_CONTEXT] = { "java.math.MathContext", "MathContext", { J_OBJECT }, 0, CLASS_FINAL },
    [J_LOCALE] = { UTIL("Locale"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_OPTIONAL] = { UTIL("Optional"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_ABSTRACT | CLASS_FINAL },
    [J_TOKENIZER] = { UTIL("StringTokenizer"), { J_OBJECT }, 0, CLASS_IMPORTED },
    [J_JOINER] = { UTIL("StringJoiner"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_FINAL },
    [J_RANDOM] = { UTIL("Random"), { J_OBJECT }, 0, CLASS_IMPORTED },
    [J_BASE64] = { UTIL("Base64"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_BASE64_ENCODER] = { "java.util.Base64$Encoder", "Base64.Encoder", { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_BASE64_DECODER] = { "java.util.Base64$Decoder", "Base64.Decoder", { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_TIME_ZONE] = { UTIL("TimeZone"), { J_OBJECT }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_CALENDAR] = { UTIL("Calendar"), { J_OBJECT, J_COMPARABLE }, 0, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_GREGORIAN] = { UTIL("GregorianCalendar"), { J_CALENDAR }, 0, CLASS_IMPORTED },
    [J_FORMAT_OF_TEXT] = { "java.text.Format", "Format", { J_OBJECT }, 0, CLASS_ABSTRACT },
    [J_DATE_FORMAT] = { "java.text.DateFormat", "DateFormat", { J_FORMAT_OF_TEXT }, 0, CLASS_ABSTRACT },
    [J_SIMPLE_DATE_FORMAT] = { "java.text.SimpleDateFormat", "SimpleDateFormat", { J_DATE_FORMAT }, 0, 0 },
    [J_TEMPORAL_ACCESSOR] = { TEMPORAL("TemporalAccessor"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_TEMPORAL] = { TEMPORAL("Temporal"), { J_TEMPORAL_ACCESSOR }, 0, CLASS_INTERFACE },
    [J_TEMPORAL_ADJUSTER] = { TEMPORAL("TemporalAdjuster"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_TEMPORAL_AMOUNT] = { TEMPORAL("TemporalAmount"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_TEMPORAL_UNIT] = { TEMPORAL("TemporalUnit"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_TEMPORAL_FIELD] = { TEMPORAL("TemporalField"), { J_OBJECT }, 0, CLASS_INTERFACE },
    [J_CHRONO_LOCAL_DATE] = { CHRONO("ChronoLocalDate"), { J_TEMPORAL, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_INTERFACE },
    [J_CHRONO_LOCAL_DATE_TIME] = { CHRONO("ChronoLocalDateTime"), { J_TEMPORAL, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 1, CLASS_INTERFACE },
    [J_CHRONO_ZONED_DATE_TIME] = { CHRONO("ChronoZonedDateTime"), { J_TEMPORAL, J_COMPARABLE }, 1, CLASS_INTERFACE },
    [J_CHRONO_PERIOD] = { CHRONO("ChronoPeriod"), { J_TEMPORAL_AMOUNT }, 0, CLASS_INTERFACE },
    [J_DATED] = { "dated", "dated", { J_TEMPORAL }, 0, CLASS_INTERFACE | CLASS_HIDDEN },
    [J_TIMED] = { "timed", "timed", { J_TEMPORAL }, 0, CLASS_INTERFACE | CLASS_HIDDEN },
    [J_TIME_LOCAL_DATE] = { TIME("LocalDate"), { J_CHRONO_LOCAL_DATE, J_DATED }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_LOCAL_TIME] = { TIME("LocalTime"), { J_TIMED, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_LOCAL_DATE_TIME] = { TIME("LocalDateTime"), { J_CHRONO_LOCAL_DATE_TIME, J_DATED, J_TIMED }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_INSTANT] = { TIME("Instant"), { J_TEMPORAL, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_OFFSET_DATE_TIME] = { TIME("OffsetDateTime"), { J_DATED, J_TIMED, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_ZONED_DATE_TIME] = { TIME("ZonedDateTime"), { J_CHRONO_ZONED_DATE_TIME, J_DATED, J_TIMED }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_YEAR] = { TIME("Year"), { J_TEMPORAL, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_YEAR_MONTH] = { TIME("YearMonth"), { J_TEMPORAL, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_DURATION] = { TIME("Duration"), { J_TEMPORAL_AMOUNT, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TIME_PERIOD] = { TIME("Period"), { J_CHRONO_PERIOD }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_ZONE_ID] = { TIME("ZoneId"), { J_OBJECT }, 0, CLASS_ABSTRACT },
    [J_ZONE_REGION] = { TIME("ZoneRegion"), { J_ZONE_ID }, 0, CLASS_ABSTRACT | CLASS_HIDDEN },
    [J_ZONE_OFFSET] = { TIME("ZoneOffset"), { J_ZONE_ID, J_TEMPORAL_ACCESSOR, J_TEMPORAL_ADJUSTER, J_COMPARABLE }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_ENUM] = { LANG("Enum"), { J_OBJECT, J_COMPARABLE }, 1, CLASS_IMPORTED | CLASS_ABSTRACT },
    [J_DAY_OF_WEEK] = { TIME("DayOfWeek"), { J_ENUM, J_TEMPORAL_ACCESSOR, J_TEMPORAL_ADJUSTER }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_MONTH] = { TIME("Month"), { J_ENUM, J_TEMPORAL_ACCESSOR, J_TEMPORAL_ADJUSTER }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TEXT_STYLE] = { "java.time.format.TextStyle", "TextStyle", { J_ENUM }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_CHRONO_FIELD] = { TEMPORAL("ChronoField"), { J_ENUM, J_TEMPORAL_FIELD }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_CHRONO_UNIT] = { TEMPORAL("ChronoUnit"), { J_ENUM, J_TEMPORAL_UNIT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_TEMPORAL_ADJUSTERS] = { TEMPORAL("TemporalAdjusters"), { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_ADJUSTER] = { TEMPORAL("TemporalAdjusters$$Lambda"), { J_TEMPORAL_ADJUSTER }, 0, CLASS_ABSTRACT | CLASS_HIDDEN },
    [J_DATE_TIME_PARSE] = { "java.time.format.DateTimeParseException", "DateTimeParseException", { J_DATE_TIME }, 0, 0 },
    [J_UNSUPPORTED_TEMPORAL] = { TEMPORAL("UnsupportedTemporalTypeException"), { J_DATE_TIME }, 0, 0 },
    [J_VALUE_RANGE] = { TEMPORAL("ValueRange"), { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_DATE_TIME_FORMATTER] = { "java.time.format.DateTimeFormatter", "DateTimeFormatter", { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_ISO_FIELDS] = { TEMPORAL("IsoFields"), { J_OBJECT }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_ISO_FIELD] = { "java.time.temporal.IsoFields$Field", "Field", { J_ENUM, J_TEMPORAL_FIELD }, 0, CLASS_ABSTRACT | CLASS_HIDDEN },
    [J_RESOLVER_STYLE] = { "java.time.format.ResolverStyle", "ResolverStyle", { J_ENUM }, 0, CLASS_ABSTRACT | CLASS_FINAL },
    [J_PARSED] = { "java.time.format.Parsed", "Parsed", { J_TEMPORAL_ACCESSOR }, 0, CLASS_ABSTRACT | CLASS_HIDDEN },
    [J_FORMAT_OF_NUMBER] = { "java.text.NumberFormat", "NumberFormat", { J_FORMAT_OF_TEXT }, 0, CLASS_ABSTRACT },
    [J_DECIMAL_FORMAT] = { "java.text.DecimalFormat", "DecimalFormat", { J_FORMAT_OF_NUMBER }, 0, 0 },
    [J_DECIMAL_SYMBOLS] = { "java.text.DecimalFormatSymbols", "DecimalFormatSymbols", { J_OBJECT }, 0, 0 },
    [J_READ_ONLY_BUFFER] = { "java.nio.ReadOnlyBufferException", "ReadOnlyBufferException", { J_UNSUPPORTED }, 0, CLASS_HIDDEN },
    [J_INVALID_MARK] = { "java.nio.InvalidMarkException", "InvalidMarkException", { J_ILLEGAL_STATE }, 0, CLASS_HIDDEN },
    [J_COMPARATOR] = { UTIL("Comparator"), { J_OBJECT }, 1, CLASS_IMPORTED | CLASS_INTERFACE },
};

/* ---- making ---- */

const struct java_type *java_simple(enum java_kind kind)
{
    enum { SIMPLE_MOST = 256 };
    static const struct java_type simple[SIMPLE_MOST] = {
#define ONE(k)     [k] = { k, { NULL, NULL }, false }
#define FOUR(k)    ONE(k), ONE((k) + 1), ONE((k) + 2), ONE((k) + 3)
#define SIXTEEN(k) FOUR(k), FOUR((k) + 4), FOUR((k) + 8), FOUR((k) + 12)
#define SIXTY_FOUR(k) SIXTEEN(k), SIXTEEN((k) + 16), SIXTEEN((k) + 32), SIXTEEN((k) + 48)
        SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)
#undef SIXTY_FOUR
#undef SIXTEEN
#undef FOUR
#undef ONE
    };
    _Static_assert((int)J_KIND_COUNT <= SIMPLE_MOST, "every kind has its simple type");
    return &simple[kind];
}

const struct java_type *java_generic(struct ctx *ctx, enum java_kind kind, const struct java_type *first,
                                     const struct java_type *second)
{
    struct java_type *t = NEW(ctx, struct java_type);
    if (t)
        *t = (struct java_type){ kind, { first, second }, false };
    return t;
}

const struct java_type *java_wildcard(struct ctx *ctx, const struct java_type *bound)
{
    struct java_type *t = NEW(ctx, struct java_type);
    if (!t)
        return NULL;
    *t = *bound;
    t->wild = true;
    return t;
}

const struct java_type *java_array_of(struct ctx *ctx, const struct java_type *element)
{
    return element->kind == J_ERROR ? element : java_generic(ctx, J_ARRAY, element, NULL);
}

/* ---- names ---- */

const struct java_type *java_primitive(struct slice name)
{
    for (enum java_kind k = J_BOOLEAN; k <= J_DOUBLE; k++)
        if (slice_eq_str(name, classes[k].name))
            return java_simple(k);
    return slice_eq_str(name, "void") ? java_simple(J_VOID) : NULL;
}

enum java_kind java_class_by_name(struct slice name)
{
    static const struct {
        const char *name;
        enum java_kind kind;
    } inner[] = { { "java.util.Map.Entry", J_ENTRY },
                  { "java.util.Base64.Encoder", J_BASE64_ENCODER },
                  { "java.util.Base64.Decoder", J_BASE64_DECODER } };
    for (enum java_kind k = J_OBJECT; k < J_KIND_COUNT; k++)
        if ((!(classes[k].flags & CLASS_HIDDEN) && slice_eq_str(name, classes[k].name)) ||
            ((classes[k].flags & CLASS_IMPORTED) && slice_eq_str(name, classes[k].shown)))
            return k;
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (slice_eq_str(name, inner[i].name))
            return inner[i].kind;
    return J_ERROR;
}

const char *java_class_full_name(enum java_kind kind)
{
    return classes[kind].name;
}

unsigned java_class_parameters(enum java_kind kind)
{
    return classes[kind].parameters;
}

bool java_class_is_abstract(enum java_kind kind)
{
    return classes[kind].flags & CLASS_ABSTRACT;
}

bool java_class_is_interface(enum java_kind kind)
{
    return (classes[kind].flags & CLASS_INTERFACE) == CLASS_INTERFACE;
}

static void put_argument(struct buf *buf, const struct java_type *type)
{
    bool unbound = type->wild && type->kind == J_OBJECT;
    buf_put_str(buf, unbound ? "?" : type->wild ? "? extends " : "");
    if (!unbound)
        java_put_type(buf, type);
}

void java_put_type(struct buf *buf, const struct java_type *type)
{
    if (type->kind == J_ARRAY) {
        java_put_type(buf, type->args[0]);
        buf_put_str(buf, "[]");
        return;
    }
    buf_put_str(buf, classes[type->kind].shown);
    if (!type->args[0])
        return;
    buf_put_u8(buf, '<');
    put_argument(buf, type->args[0]);
    if (type->args[1]) {
        buf_put_u8(buf, ',');
        put_argument(buf, type->args[1]);
    }
    buf_put_u8(buf, '>');
}

void java_put_erased(struct buf *buf, const struct java_type *type)
{
    if (type->kind == J_ARRAY) {
        java_put_erased(buf, type->args[0]);
        buf_put_str(buf, "[]");
    } else {
        const struct java_class *c = &classes[type->kind];
        buf_put_str(buf, type->kind == J_OBJECT || type->kind == J_STRING ? c->shown : c->name);
    }
}

void java_put_brackets(struct buf *buf, const struct java_type *type)
{
    if (type->kind != J_ARRAY) {
        buf_put_str(buf, classes[type->kind].name);
        return;
    }
    java_put_brackets(buf, type->args[0]);
    buf_put_str(buf, "[]");
}

const char *java_binary_name(struct ctx *ctx, const struct java_type *type)
{
    static const char letters[] = "ZCBSIJFD"; /* in the order of the primitives */
    struct buf text;

    if (type->kind != J_ARRAY)
        return classes[type->kind].name;
    buf_init(&text, ctx->arena);
    for (; type->kind == J_ARRAY; type = type->args[0])
        buf_put_u8(&text, '[');
    if (java_is_primitive(type))
        buf_put_u8(&text, (uint8_t)letters[type->kind - J_BOOLEAN]);
    else
        buf_printf(&text, "L%s;", classes[type->kind].name);
    return buf_string(ctx, &text);
}

/* ---- what is what ---- */

bool java_type_eq(const struct java_type *a, const struct java_type *b)
{
    if (a == b)
        return true;
    return a && b && a->kind == b->kind && java_type_eq(a->args[0], b->args[0]) && java_type_eq(a->args[1], b->args[1]);
}

bool java_kind_extends(enum java_kind kind, enum java_kind of)
{
    if (kind == of || of == J_OBJECT)
        return true;
    for (size_t i = 0; i < sizeof classes[0].parents / sizeof classes[0].parents[0]; i++)
        if (classes[kind].parents[i] && java_kind_extends(classes[kind].parents[i], of))
            return true;
    return false;
}

bool java_widens(const struct java_type *from, const struct java_type *to)
{
    if (from->kind == to->kind)
        return true;
    if (!java_is_numeric_type(from) || !java_is_numeric_type(to) || to->kind == J_CHAR)
        return false;
    return from->kind == J_CHAR ? to->kind >= J_INT : from->kind < to->kind;
}

/* Whether an argument of a generic class may stand where another is wanted. */
static bool is_within(const struct java_type *from, const struct java_type *to)
{
    return to->wild ? java_is_subtype(from, to) : !from->wild && java_type_eq(from, to);
}

/* T of the Comparable<T> that a class is: itself, or the parent that says so; a class of an enum itself. NULL: it is none, or a raw one. */
static const struct java_type *compared_to(const struct java_type *type)
{
    if (type->kind == J_COMPARABLE)
        return type->args[0];
    for (size_t i = 0; i < sizeof classes[0].parents / sizeof classes[0].parents[0]; i++) {
        enum java_kind parent = classes[type->kind].parents[i];
        const struct java_type *of = parent == J_COMPARABLE || parent == J_ENUM ? java_simple(type->kind) : parent ? compared_to(java_simple(parent)) : NULL;
        if (of)
            return of;
    }
    return NULL;
}

bool java_is_subtype(const struct java_type *from, const struct java_type *to)
{
    if (from->kind == J_NULL)
        return true;
    if (from->kind == J_ARRAY || to->kind == J_ARRAY)
        return to->kind == J_OBJECT || java_type_eq(from, to) ||
               (from->kind == to->kind && java_is_reference(from->args[0]) && java_is_reference(to->args[0]) &&
                java_is_subtype(from->args[0], to->args[0]));
    if (!java_kind_extends(from->kind, to->kind))
        return false;
    if (to->kind == J_COMPARABLE)
        return !to->args[0] || !compared_to(from) || is_within(compared_to(from), to->args[0]);
    if (!from->args[0] || !to->args[0])
        return true;
    return is_within(from->args[0], to->args[0]) && (!to->args[1] || is_within(from->args[1], to->args[1]));
}

static bool is_interface_beside(enum java_kind interface, enum java_kind class)
{
    return java_class_is_interface(interface) && !(classes[class].flags & CLASS_FINAL);
}

/* Whether two arguments of a generic class may stand for the same. */
static bool may_be_one(const struct java_type *a, const struct java_type *b)
{
    return !a || !b || (a->wild && b->wild ? java_may_be(a, b) : a->wild ? java_is_subtype(b, a) : b->wild ? java_is_subtype(a, b) : java_type_eq(a, b));
}

/* Of two generic classes each of which is what the first is of: all collections are, and all maps. */
static bool share_arguments(enum java_kind a, enum java_kind b)
{
    for (enum java_kind kind = J_OBJECT; kind < J_KIND_COUNT; kind++)
        if (classes[kind].parameters && kind != J_COMPARABLE && java_kind_extends(a, kind) && java_kind_extends(b, kind))
            return true;
    return false;
}

bool java_may_be(const struct java_type *from, const struct java_type *to)
{
    if (from->kind == J_NULL || to->kind == J_NULL || from->kind == J_OBJECT || to->kind == J_OBJECT)
        return true;
    if (from->kind == J_ARRAY && to->kind == J_ARRAY)
        return java_is_reference(from->args[0]) && java_is_reference(to->args[0]) ? java_may_be(from->args[0], to->args[0])
                                                                                  : java_type_eq(from->args[0], to->args[0]);
    if (from->kind == J_ARRAY || to->kind == J_ARRAY)
        return false;
    if (!java_kind_extends(from->kind, to->kind) && !java_kind_extends(to->kind, from->kind) && !is_interface_beside(from->kind, to->kind) &&
        !is_interface_beside(to->kind, from->kind))
        return false;
    if (from->kind == J_COMPARABLE || to->kind == J_COMPARABLE)
        return may_be_one(compared_to(from), compared_to(to));
    return !share_arguments(from->kind, to->kind) || (may_be_one(from->args[0], to->args[0]) && may_be_one(from->args[1], to->args[1]));
}

const struct java_type *java_common_type(struct ctx *ctx, const struct java_type *a, const struct java_type *b)
{
    enum java_kind best = J_OBJECT;

    if (java_is_subtype(a, b) || java_is_subtype(b, a))
        return java_is_subtype(a, b) ? b : a;
    for (enum java_kind kind = J_OBJECT; kind < J_KIND_COUNT; kind++)
        if (kind != J_COMPARABLE && !(classes[kind].flags & CLASS_HIDDEN) && java_kind_extends(a->kind, kind) && java_kind_extends(b->kind, kind) &&
            java_kind_extends(kind, best))
            best = kind;
    if (best == J_OBJECT && java_kind_extends(a->kind, J_COMPARABLE) && java_kind_extends(b->kind, J_COMPARABLE))
        best = J_COMPARABLE; /* nearly everything is: another class tells more */
    bool same = java_type_eq(a->args[0], b->args[0]) && java_type_eq(a->args[1], b->args[1]);
    return classes[best].parameters && a->args[0] && same ? java_generic(ctx, best, a->args[0], a->args[1])
                                                          : java_simple(best);
}

const struct java_type *java_boxed(const struct java_type *primitive)
{
    return java_simple(primitive->kind - J_BOOLEAN + J_BOX_BOOLEAN);
}

const struct java_type *java_unboxed(const struct java_type *boxed)
{
    return boxed->kind >= J_BOX_BOOLEAN && boxed->kind <= J_BOX_DOUBLE
               ? java_simple(boxed->kind - J_BOX_BOOLEAN + J_BOOLEAN)
               : NULL;
}
