// statistics.c -- Elo, its errors and the sequential test, from counts of outcomes.
//
// Notation: outcome i of k has score a_i = i / (k - 1) and frequency p_i; s is the mean score, v its
// variance. The generalised likelihood ratio follows M. Van den Bergh, "Comments on normalized Elo"
// (propositions 1.1 and 4.1), as fishtest and fastchess do: of all distributions that have exactly the
// strength of a hypothesis, take the one under which the counts are likeliest.

#include "selfplay/statistics.h"

#include <assert.h>
#include <math.h>

#define Z_95             1.959963984540054  // a normal variable is within +-Z_95 in 95 % of all cases
#define NELO_PER_SIGMA   (800 / M_LN10)     // so that nElo is Elo where no game is drawn and s is near 1/2
#define COUNT_OF_NOTHING 1e-3  // stands in for a zero count in every LLR, as in fishtest and fastchess

#define SETTLED 1e-9  // change of a frequency that is none
enum {
    HALVINGS = 64,  // of an interval of 2 * LOGIT_LIMIT: to the last bit
    LOGIT_LIMIT = 100,
    REFINEMENTS = 10,
};

const char *const sprt_model_names[SPRT_MODEL_COUNT] = {
#define X(name, pairs, unit) #name,
    FOR_EACH_SPRT_MODEL(X)
#undef X
};

const char *const sprt_model_units[SPRT_MODEL_COUNT] = {
#define X(name, pairs, unit) unit,
    FOR_EACH_SPRT_MODEL(X)
#undef X
};

bool sprt_counts_pairs(enum sprt_model model) {
    static const bool counts_pairs[SPRT_MODEL_COUNT] = {
#define X(name, pairs, unit) pairs,
        FOR_EACH_SPRT_MODEL(X)
#undef X
    };
    return counts_pairs[model];
}

// ---- distributions of outcomes

struct distribution {
    int kinds;
    double total;          // outcomes
    double p[PAIR_KINDS];  // frequencies
};

static double score_of(int kinds, int i) { return (double)i / (kinds - 1); }

// Frequencies, with `nothing` in the place of zero counts.
static struct distribution distribution_of(const struct outcomes *outcomes, double nothing) {
    struct distribution d = {.kinds = outcomes->kinds};
    for (int i = 0; i < d.kinds; i++) {
        d.p[i] = outcomes->count[i] > 0 ? (double)outcomes->count[i] : nothing;
        d.total += d.p[i];
    }
    for (int i = 0; i < d.kinds && d.total > 0; i++) d.p[i] /= d.total;
    return d;
}

static void mean_and_variance(int kinds, const double p[], double *mean, double *variance) {
    *mean = *variance = 0;
    for (int i = 0; i < kinds; i++) *mean += p[i] * score_of(kinds, i);
    for (int i = 0; i < kinds; i++) *variance += p[i] * pow(score_of(kinds, i) - *mean, 2);
}

// Games in an outcome.
static int games_in(int kinds) { return kinds == PAIR_KINDS ? 2 : 1; }

// Standard deviation of one game's score: a pair's mean score has half the variance of a game's.
static double sigma_of_game(int kinds, double variance) { return sqrt(games_in(kinds) * variance); }

// ---- estimates

static double elo_of(double score) { return 400 * log10(score / (1 - score)); }
static double score_of_elo(double elo) { return 1 / (1 + pow(10, -elo / 400)); }

static double elo_error(double score, double margin) {
    if (score - margin <= 0 || score + margin >= 1) return INFINITY;
    return (elo_of(score + margin) - elo_of(score - margin)) / 2;
}

double count_ratio(uint64_t a, uint64_t b) {
    if (b > 0) return (double)a / (double)b;
    return a > 0 ? INFINITY : NAN;
}

static void count_sides(const struct outcomes *outcomes, uint64_t *below, uint64_t *above) {
    const int middle = outcomes->kinds / 2;
    *below = *above = 0;
    for (int i = 0; i < middle; i++) {
        *below += outcomes->count[i];
        *above += outcomes->count[middle + 1 + i];
    }
}

struct estimate outcomes_estimate(const struct outcomes *outcomes) {
    const struct distribution d = distribution_of(outcomes, 0);
    struct estimate e = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (d.total <= 0) return e;

    mean_and_variance(d.kinds, d.p, &e.score, &e.variance);
    const double deviation = sqrt(e.variance / d.total);  // of the mean
    e.elo = e.score <= 0 ? -INFINITY : e.score >= 1 ? INFINITY : elo_of(e.score);
    if (d.total > 1) e.elo_error = elo_error(e.score, Z_95 * deviation);
    if (e.variance > 0) {
        e.nelo = NELO_PER_SIGMA * (e.score - 0.5) / sigma_of_game(d.kinds, e.variance);
        e.nelo_error = NELO_PER_SIGMA * Z_95 / sqrt(games_in(d.kinds) * d.total);
        e.los = erfc((0.5 - e.score) / (M_SQRT2 * deviation)) / 2;
    }
    e.draw_ratio = d.p[d.kinds / 2];
    uint64_t below, above;
    count_sides(outcomes, &below, &above);
    e.pairs_ratio = count_ratio(above, below);
    return e;
}

// ---- the likeliest distribution of a given strength

// The distribution q that makes frequencies p likeliest under the constraint sum q_i x_i = 0 is
// q_i = p_i / (1 + theta x_i), where theta solves sum p_i x_i / (1 + theta x_i) = 0: a decreasing function
// between -1/max x and -1/min x, where it goes to +-infinity. theta is sought as a mixture of the two ends,
// and the mixture by its logit, so that all 1 + theta x_i are sums of positive numbers: a root within 10^-20
// of an end, which huge counts beside a zero lead to, is found as well as any.
// False when no distribution has that strength (min x < 0 < max x fails).
static bool constrain(int kinds, const double p[], const double x[], double q[]) {
    double least = x[0], most = x[0];
    for (int i = 1; i < kinds; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    if (!(least < 0 && most > 0)) return false;

    double low = -LOGIT_LIMIT, high = LOGIT_LIMIT;
    for (int halving = 0; halving < HALVINGS; halving++) {
        const double logit = (low + high) / 2;
        const double at_low_end = 1 / (1 + exp(logit)), at_high_end = 1 / (1 + exp(-logit));
        double sum = 0;
        for (int i = 0; i < kinds; i++) {
            q[i] = p[i] / (at_low_end * (most - x[i]) / most + at_high_end * (x[i] - least) / -least);
            sum += q[i] * x[i];
        }
        if (sum > 0)
            low = logit;
        else
            high = logit;
    }
    return true;
}

static bool with_score(const struct distribution *d, double score, double q[]) {
    double x[PAIR_KINDS] = {0};
    for (int i = 0; i < d->kinds; i++) x[i] = score_of(d->kinds, i) - score;
    return constrain(d->kinds, d->p, x, q);
}

// The constraint (mean - 1/2) / sigma = t is not linear in q: it is made so around the last q, from the
// uniform distribution on.
static bool with_normalised_score(const struct distribution *d, double t, double q[]) {
    for (int i = 0; i < d->kinds; i++) q[i] = 1.0 / d->kinds;
    double change = 1;
    for (int refinement = 0; change > SETTLED && refinement < REFINEMENTS; refinement++) {
        double mean, variance, x[PAIR_KINDS] = {0}, last[PAIR_KINDS];
        mean_and_variance(d->kinds, q, &mean, &variance);
        const double sigma = sqrt(variance);
        for (int i = 0; i < d->kinds; i++) {
            const double score = score_of(d->kinds, i);
            x[i] = score - 0.5 - t * sigma * (1 + pow((mean - score) / sigma, 2)) / 2;
            last[i] = q[i];
        }
        if (!constrain(d->kinds, d->p, x, q)) return false;
        change = 0;
        for (int i = 0; i < d->kinds; i++) change = fmax(change, fabs(q[i] - last[i]));
    }
    return true;
}

static double log_ratio(const struct distribution *d, const double q0[], const double q1[]) {
    double sum = 0;
    for (int i = 0; i < d->kinds; i++) sum += d->p[i] * log(q1[i] / q0[i]);
    return d->total * sum;
}

// ---- models of strength

static double llr_scores(const struct distribution *d, double score0, double score1) {
    double q0[PAIR_KINDS], q1[PAIR_KINDS];
    const bool solved = with_score(d, score0, q0) && with_score(d, score1, q1);
    assert(solved);  // scores lie strictly between 0 and 1
    (void)solved;
    return log_ratio(d, q0, q1);
}

static double llr_logistic(const struct sprt *test, const struct distribution *d) {
    return llr_scores(d, score_of_elo(test->elo0), score_of_elo(test->elo1));
}

static double llr_normalized(const struct sprt *test, const struct distribution *d) {
    const double t0 = test->elo0 / NELO_PER_SIGMA, t1 = test->elo1 / NELO_PER_SIGMA;
    const double to_kind = sqrt(games_in(d->kinds));
    double q0[PAIR_KINDS], q1[PAIR_KINDS];
    if (with_normalised_score(d, to_kind * t0, q0) && with_normalised_score(d, to_kind * t1, q1))
        return log_ratio(d, q0, q1);
    // Bounds so wide that the linear constraint cannot be met: the closed form for normal scores.
    double mean, variance;
    mean_and_variance(d->kinds, d->p, &mean, &variance);
    const double t = (mean - 0.5) / sigma_of_game(d->kinds, variance);
    return games_in(d->kinds) * d->total / 2 * (log1p(pow(t - t0, 2)) - log1p(pow(t - t1, 2)));
}

static double llr_quadratic(const struct sprt *test, const struct distribution *d) {
    const double score0 = score_of_elo(test->elo0), score1 = score_of_elo(test->elo1);
    double mean, variance;
    mean_and_variance(d->kinds, d->p, &mean, &variance);
    return d->total * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance);
}

// BayesElo's model of a game: with b = bayeselo and the draw rate's `drawelo`, both times ln(10)/400,
// win = 1 / (1 + e^(drawelo - b)), loss = 1 / (1 + e^(drawelo + b)), draw = the rest = win * loss * a factor
// that does not depend on b. (R. Coulom's BayesElo; fishtest's legacy LLR.)
struct bayes {
    double log_win, log_loss;
};

static double log_logistic(double x) { return x > 0 ? -log1p(exp(-x)) : x - log1p(exp(x)); }

static struct bayes bayes_at(double bayeselo, double drawelo) {
    const double b = bayeselo * M_LN10 / 400;
    return (struct bayes){log_logistic(b - drawelo), log_logistic(-b - drawelo)};
}

// e^(2 drawelo) = (1 - l)(1 - w) / (l w) = 1 + d / (l w)
static double drawelo_of(const double p[]) { return log1p(p[1] / (p[0] * p[2])) / 2; }

static double llr_bayesian(const struct sprt *test, const struct distribution *d) {
    double score[2];
    for (int h = 0; h < 2; h++) {
        const struct bayes at = bayes_at(h == 0 ? test->elo0 : test->elo1, drawelo_of(d->p));
        score[h] = (1 + exp(at.log_win) - exp(at.log_loss)) / 2;
    }
    return llr_scores(d, score[0], score[1]);
}

static double llr_bayes(double bayeselo0, double bayeselo1, const struct distribution *d) {
    const double drawelo = drawelo_of(d->p);
    const struct bayes h0 = bayes_at(bayeselo0, drawelo), h1 = bayes_at(bayeselo1, drawelo);
    return d->total * ((d->p[2] + d->p[1]) * (h1.log_win - h0.log_win) +
                       (d->p[0] + d->p[1]) * (h1.log_loss - h0.log_loss));
}

static double llr_wald(const struct sprt *test, const struct distribution *d) {
    return llr_bayes(test->elo0, test->elo1, d);
}

// BayesElo is Elo divided by 4x / (1 + x)^2 with x = e^(-drawelo): the slope of the score at equality.
static double llr_cutechess(const struct sprt *test, const struct distribution *d) {
    const double x = exp(-drawelo_of(d->p));
    const double scale = 4 * x / pow(1 + x, 2);
    return llr_bayes(test->elo0 / scale, test->elo1 / scale, d);
}

// cutechess adds half a game to every count.
static struct distribution cutechess_distribution(const struct outcomes *outcomes) {
    struct distribution d = {.kinds = outcomes->kinds};
    for (int i = 0; i < d.kinds; i++) d.total += (double)outcomes->count[i] + 0.5;
    for (int i = 0; i < d.kinds; i++) d.p[i] = ((double)outcomes->count[i] + 0.5) / d.total;
    return d;
}

// ---- the test

bool sprt_check(const struct sprt *test, struct error *error) {
    if (!(fabs(test->elo0) <= SPRT_ELO_LIMIT && fabs(test->elo1) <= SPRT_ELO_LIMIT))
        return error_set(error, "sprt: elo0 and elo1 must lie within -%d..%d", SPRT_ELO_LIMIT,
                         SPRT_ELO_LIMIT);
    if (!(test->elo0 < test->elo1))
        return error_set(error, "sprt: elo0 (%g) must be less than elo1 (%g)", test->elo0, test->elo1);
    if (!(test->alpha > 0 && test->beta > 0 && test->alpha + test->beta < 1))
        return error_set(error, "sprt: alpha (%g) and beta (%g) must be above 0 and add up to less than 1",
                         test->alpha, test->beta);
    return true;
}

void sprt_bounds(const struct sprt *test, double *lower, double *upper) {
    *lower = log(test->beta / (1 - test->alpha));
    *upper = log((1 - test->beta) / test->alpha);
}

double sprt_llr(const struct sprt *test, const struct outcomes *outcomes) {
    static double (*const llr[SPRT_MODEL_COUNT])(const struct sprt *, const struct distribution *) = {
#define X(name, pairs, unit) llr_##name,
        FOR_EACH_SPRT_MODEL(X)
#undef X
    };
    assert(outcomes->kinds == GAME_KINDS ||
           (outcomes->kinds == PAIR_KINDS && sprt_counts_pairs(test->model)));
    bool any = false;
    for (int i = 0; i < outcomes->kinds; i++) any |= outcomes->count[i] > 0;
    if (!any) return 0;
    const struct distribution d = test->model == SPRT_cutechess ? cutechess_distribution(outcomes)
                                                                : distribution_of(outcomes, COUNT_OF_NOTHING);
    return llr[test->model](test, &d);
}

enum sprt_verdict sprt_judge(const struct sprt *test, double llr) {
    double lower, upper;
    sprt_bounds(test, &lower, &upper);
    return llr >= upper ? SPRT_H1 : llr <= lower ? SPRT_H0 : SPRT_UNDECIDED;
}
