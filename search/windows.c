// windows.c -- the digits of windows, as tables.
#include "search/windows.h"

#define DIGIT(bits, i, place) (((bits) >> (i)&1) * (place))
#define UPWARDS(bits)                                                                                     \
    DIGIT(bits, 0, 1) + DIGIT(bits, 1, 3) + DIGIT(bits, 2, 9) + DIGIT(bits, 3, 27) + DIGIT(bits, 4, 81) + \
        DIGIT(bits, 5, 243) + DIGIT(bits, 6, 729) + DIGIT(bits, 7, 2187)
#define DOWNWARDS(bits)                                                                                   \
    DIGIT(bits, 7, 1) + DIGIT(bits, 6, 3) + DIGIT(bits, 5, 9) + DIGIT(bits, 4, 27) + DIGIT(bits, 3, 81) + \
        DIGIT(bits, 2, 243) + DIGIT(bits, 1, 729) + DIGIT(bits, 0, 2187)
#define FOUR(digits, b) digits(b), digits((b) + 1), digits((b) + 2), digits((b) + 3)
#define SIXTEEN(digits, b) \
    FOUR(digits, b), FOUR(digits, (b) + 4), FOUR(digits, (b) + 8), FOUR(digits, (b) + 12)
#define SIXTY_FOUR(digits, b) \
    SIXTEEN(digits, b), SIXTEEN(digits, (b) + 16), SIXTEEN(digits, (b) + 32), SIXTEEN(digits, (b) + 48)
#define ALL(digits) \
    SIXTY_FOUR(digits, 0), SIXTY_FOUR(digits, 64), SIXTY_FOUR(digits, 128), SIXTY_FOUR(digits, 192)

const uint16_t window_digits[256] = {ALL(UPWARDS)};
const uint16_t window_digits_turned[256] = {ALL(DOWNWARDS)};
