package engine

// #include <backoff.h>
import "C"

// A Field is the number of a policy's field (SPEC 5.1).
type Field uint32

// The fields of a policy, in the order of their numbers.
const (
	Growth             Field = C.BACKOFF_FIELD_GROWTH
	Base               Field = C.BACKOFF_FIELD_BASE
	Increment          Field = C.BACKOFF_FIELD_INCREMENT
	Multiplier         Field = C.BACKOFF_FIELD_MULTIPLIER
	Power              Field = C.BACKOFF_FIELD_POWER
	Origin             Field = C.BACKOFF_FIELD_ORIGIN
	Offset             Field = C.BACKOFF_FIELD_OFFSET
	Cap                Field = C.BACKOFF_FIELD_CAP
	CapOn              Field = C.BACKOFF_FIELD_CAP_ON
	Floor              Field = C.BACKOFF_FIELD_FLOOR
	Jitter             Field = C.BACKOFF_FIELD_JITTER
	JitterBelow        Field = C.BACKOFF_FIELD_JITTER_BELOW
	JitterAbove        Field = C.BACKOFF_FIELD_JITTER_ABOVE
	JitterMax          Field = C.BACKOFF_FIELD_JITTER_MAX
	JitterIncrement    Field = C.BACKOFF_FIELD_JITTER_INCREMENT
	JitterSlot         Field = C.BACKOFF_FIELD_JITTER_SLOT
	MaxRetries         Field = C.BACKOFF_FIELD_MAX_RETRIES
	MaxAttempts        Field = C.BACKOFF_FIELD_MAX_ATTEMPTS
	MaxElapsed         Field = C.BACKOFF_FIELD_MAX_ELAPSED
	ThrottledBase      Field = C.BACKOFF_FIELD_THROTTLED_BASE
	RetryAfter         Field = C.BACKOFF_FIELD_RETRY_AFTER
	RetryAfterMax      Field = C.BACKOFF_FIELD_RETRY_AFTER_MAX
	RetryAfterMaxExtra Field = C.BACKOFF_FIELD_RETRY_AFTER_MAX_EXTRA
)

// The kinds of growth, jitter, cap_on and retry_after.
const (
	GrowthConstant    = C.BACKOFF_GROWTH_CONSTANT
	GrowthLinear      = C.BACKOFF_GROWTH_LINEAR
	GrowthExponential = C.BACKOFF_GROWTH_EXPONENTIAL
	GrowthPolynomial  = C.BACKOFF_GROWTH_POLYNOMIAL
	GrowthFibonacci   = C.BACKOFF_GROWTH_FIBONACCI

	JitterNone         = C.BACKOFF_JITTER_NONE
	JitterFull         = C.BACKOFF_JITTER_FULL
	JitterEqual        = C.BACKOFF_JITTER_EQUAL
	JitterProportional = C.BACKOFF_JITTER_PROPORTIONAL
	JitterAdditive     = C.BACKOFF_JITTER_ADDITIVE
	JitterDecorrelated = C.BACKOFF_JITTER_DECORRELATED
	JitterSlotted      = C.BACKOFF_JITTER_SLOTTED

	CapOnWindow = C.BACKOFF_CAP_ON_WINDOW
	CapOnDelay  = C.BACKOFF_CAP_ON_DELAY

	RetryAfterAtLeast = C.BACKOFF_RETRY_AFTER_AT_LEAST
	RetryAfterExact   = C.BACKOFF_RETRY_AFTER_EXACT
	RetryAfterSpread  = C.BACKOFF_RETRY_AFTER_SPREAD
)

// The outcomes of attempts and the reasons why operations stop.
const (
	OutcomeSuccess   = C.BACKOFF_OUTCOME_SUCCESS
	OutcomeTransient = C.BACKOFF_OUTCOME_TRANSIENT
	OutcomeThrottled = C.BACKOFF_OUTCOME_THROTTLED
	OutcomeTimeout   = C.BACKOFF_OUTCOME_TIMEOUT
	OutcomePermanent = C.BACKOFF_OUTCOME_PERMANENT

	ReasonSuccess    = C.BACKOFF_REASON_SUCCESS
	ReasonPermanent  = C.BACKOFF_REASON_PERMANENT
	ReasonMaxRetries = C.BACKOFF_REASON_MAX_RETRIES
	ReasonMaxElapsed = C.BACKOFF_REASON_MAX_ELAPSED
	ReasonDeadline   = C.BACKOFF_REASON_DEADLINE
	ReasonBudget     = C.BACKOFF_REASON_BUDGET
	ReasonCancelled  = C.BACKOFF_REASON_CANCELLED
)

// None stands for no deadline and for no retry_after.
const None uint64 = C.BACKOFF_NONE

// The error codes. Those of the C ABI alone, such as a NULL pointer, cannot occur in Go.
const (
	OK              = C.BACKOFF_OK
	UnknownKind     = C.BACKOFF_UNKNOWN_KIND
	Missing         = C.BACKOFF_MISSING
	Unused          = C.BACKOFF_UNUSED
	TooLarge        = C.BACKOFF_TOO_LARGE
	TooSmall        = C.BACKOFF_TOO_SMALL
	ZeroDenominator = C.BACKOFF_ZERO_DENOMINATOR
	RatioTooFine    = C.BACKOFF_RATIO_TOO_FINE
	NotExponential  = C.BACKOFF_NOT_EXPONENTIAL
	CapBelowBase    = C.BACKOFF_CAP_BELOW_BASE
	OffsetAboveCap  = C.BACKOFF_OFFSET_ABOVE_CAP
	FloorAboveCap   = C.BACKOFF_FLOOR_ABOVE_CAP
	GrowthStalls    = C.BACKOFF_GROWTH_STALLS
	GivenTwice      = C.BACKOFF_GIVEN_TWICE
	UnknownHead     = C.BACKOFF_UNKNOWN_HEAD
	UnknownKey      = C.BACKOFF_UNKNOWN_KEY
	RepeatedKey     = C.BACKOFF_REPEATED_KEY
	MissingValue    = C.BACKOFF_MISSING_VALUE
	NotADuration    = C.BACKOFF_NOT_A_DURATION
	MissingUnit     = C.BACKOFF_MISSING_UNIT
	UnknownUnit     = C.BACKOFF_UNKNOWN_UNIT
	DurationTooFine = C.BACKOFF_DURATION_TOO_FINE
	NotARatio       = C.BACKOFF_NOT_A_RATIO
	NotACount       = C.BACKOFF_NOT_A_COUNT
	TextTooLong     = C.BACKOFF_TEXT_TOO_LONG
	DoesNotFit      = C.BACKOFF_DOES_NOT_FIT
	UnknownOutcome  = C.BACKOFF_UNKNOWN_OUTCOME
	UnknownReason   = C.BACKOFF_UNKNOWN_REASON
	Damaged         = C.BACKOFF_DAMAGED
)
