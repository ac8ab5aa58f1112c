// ratings.c -- the fit of ratings by Newton's method, and their errors.
//
// Ratings are in units in which the expected score is 1 / (1 + exp(-difference)). The sum over all meetings
// of games * (score log p + (1 - score) log(1 - p)) and of the logarithm of a normal prior is strictly
// concave, so it has one maximum; there the ratings have the mean of the prior.

#include "selfplay/ratings.h"

#include <math.h>
#include <stdlib.h>

#include "core/support/memory.h"

#define ELO_UNIT        (400 / M_LN10)
#define PRIOR_DEVIATION (2000 / ELO_UNIT)
#define PRIOR           (1 / (PRIOR_DEVIATION * PRIOR_DEVIATION))
#define Z_95            1.959963984540054  // a normal variable is within +-Z_95 in 95 % of all cases

enum { MOST_STEPS = 500, MOST_HALVINGS = 60 };
#define SETTLED 1e-10

// What the fit needs to know of a meeting.
struct data {
    int a, b;
    double games, score;
    double noise;  // variance of games * score
};

struct fit {
    const struct data *data;
    int data_count, n;
    double *rating, *gradient, *step, *trial;
    double *curvature;  // n x n, minus the matrix of second derivatives
};

static struct data data_of(const struct meeting *meeting) {
    const struct estimate e = outcomes_estimate(&meeting->outcomes);
    struct data data = {.a = meeting->engines[0], .b = meeting->engines[1]};
    double outcomes = 0;
    for (int i = 0; i < meeting->outcomes.kinds; i++) outcomes += (double)meeting->outcomes.count[i];
    if (outcomes <= 0) return data;
    const double games_in = meeting->outcomes.kinds == PAIR_KINDS ? 2 : 1;
    data.games = games_in * outcomes;
    data.score = e.score;
    data.noise = games_in * games_in * outcomes * e.variance;
    return data;
}

static double expected(double difference) { return 1 / (1 + exp(-difference)); }

// log(expected(difference)), without loss where that is small.
static double log_expected(double difference) {
    return difference > 0 ? -log1p(exp(-difference)) : difference - log1p(exp(difference));
}

static double likelihood(const struct fit *fit, const double *rating) {
    double sum = 0;
    for (int i = 0; i < fit->data_count; i++) {
        const struct data *d = &fit->data[i];
        const double difference = rating[d->a] - rating[d->b];
        sum += d->games * (d->score * log_expected(difference) + (1 - d->score) * log_expected(-difference));
    }
    for (int i = 0; i < fit->n; i++) sum -= PRIOR * rating[i] * rating[i] / 2;
    return sum;
}

// Adds `value` where a difference of a and b is multiplied by itself.
static void add_difference(double *matrix, int n, int a, int b, double value) {
    matrix[a * n + a] += value;
    matrix[b * n + b] += value;
    matrix[a * n + b] -= value;
    matrix[b * n + a] -= value;
}

static void differentiate(struct fit *fit) {
    const int n = fit->n;
    for (int i = 0; i < n * n; i++) fit->curvature[i] = 0;
    for (int i = 0; i < n; i++) {
        fit->gradient[i] = -PRIOR * fit->rating[i];
        fit->curvature[i * n + i] = PRIOR;
    }
    for (int i = 0; i < fit->data_count; i++) {
        const struct data *d = &fit->data[i];
        const double p = expected(fit->rating[d->a] - fit->rating[d->b]);
        fit->gradient[d->a] += d->games * (d->score - p);
        fit->gradient[d->b] -= d->games * (d->score - p);
        add_difference(fit->curvature, n, d->a, d->b, d->games * p * (1 - p));
    }
}

// Cholesky: the matrix becomes its lower triangle L with L L' = matrix, which is positive definite.
static void factorise(double *matrix, int n) {
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = matrix[i * n + j];
            for (int k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
            // Rounding may reach what little the prior adds to huge counts.
            matrix[i * n + j] = i == j ? sqrt(fmax(sum, PRIOR / 2)) : sum / matrix[j * n + j];
        }
    }
}

static void solve(const double *lower, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= lower[i * n + k] * x[k];
        x[i] /= lower[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= lower[k * n + i] * x[k];
        x[i] /= lower[i * n + i];
    }
}

// As much of Newton's step as makes the ratings likelier; returns how far that goes.
static double move(struct fit *fit) {
    const double now = likelihood(fit, fit->rating);
    double part = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
        double far = 0;
        for (int i = 0; i < fit->n; i++) {
            fit->trial[i] = fit->rating[i] + part * fit->step[i];
            far = fmax(far, fabs(part * fit->step[i]));
        }
        if (far < SETTLED) return 0;
        if (likelihood(fit, fit->trial) <= now) continue;
        for (int i = 0; i < fit->n; i++) fit->rating[i] = fit->trial[i];
        return far;
    }
    return 0;
}

static void maximise(struct fit *fit) {
    for (int step = 0; step < MOST_STEPS; step++) {
        differentiate(fit);
        factorise(fit->curvature, fit->n);
        for (int i = 0; i < fit->n; i++) fit->step[i] = fit->gradient[i];
        solve(fit->curvature, fit->n, fit->step);
        if (move(fit) <= SETTLED) return;
    }
}

// The variance of a rating: the noise of the scores, as the inverse of the curvature hands it on.
static double variance_of(struct fit *fit, int engine) {
    for (int i = 0; i < fit->n; i++) fit->step[i] = i == engine;
    solve(fit->curvature, fit->n, fit->step);
    double variance = 0;
    for (int i = 0; i < fit->data_count; i++) {
        const struct data *d = &fit->data[i];
        variance += d->noise * pow(fit->step[d->a] - fit->step[d->b], 2);
    }
    return variance;
}

static struct rating rating_of(struct fit *fit, int engine) {
    double games = 0, points = 0;
    for (int i = 0; i < fit->data_count; i++) {
        const struct data *d = &fit->data[i];
        if (d->a != engine && d->b != engine) continue;
        games += d->games;
        points += d->games * (d->a == engine ? d->score : 1 - d->score);
    }
    if (games <= 0) return (struct rating){NAN, NAN};
    const bool bounded = points > 0 && points < games;
    return (struct rating){
        .elo = ELO_UNIT * fit->rating[engine],
        .error = bounded ? ELO_UNIT * Z_95 * sqrt(variance_of(fit, engine)) : INFINITY,
    };
}

// The prior does so as well, but not to the last digit beside huge counts.
static void centre(struct rating *ratings, int count) {
    double sum = 0;
    int rated = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(ratings[i].elo)) continue;
        sum += ratings[i].elo;
        rated++;
    }
    for (int i = 0; i < count; i++) ratings[i].elo -= rated > 0 ? sum / rated : 0;
}

void ratings_fit(const struct meeting *meetings, int meeting_count, int engine_count,
                 struct rating *ratings) {
    const size_t n = (size_t)engine_count;
    struct data *data = memory_new((size_t)meeting_count + 1, sizeof *data);
    for (int i = 0; i < meeting_count; i++) data[i] = data_of(&meetings[i]);
    double *room = memory_new(n * (n + 4), sizeof *room);
    struct fit fit = {
        .data = data,
        .data_count = meeting_count,
        .n = engine_count,
        .rating = room,
        .gradient = room + n,
        .step = room + 2 * n,
        .trial = room + 3 * n,
        .curvature = room + 4 * n,
    };
    maximise(&fit);
    differentiate(&fit);
    factorise(fit.curvature, fit.n);
    for (int i = 0; i < engine_count; i++) ratings[i] = rating_of(&fit, i);
    centre(ratings, engine_count);
    free(room);
    free(data);
}
