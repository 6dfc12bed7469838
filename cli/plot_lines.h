/* plot_lines.h - what panels of lines and maps of them share: plot_lines.c, plot_maps.c. */
#ifndef COSTATE_CLI_PLOT_LINES_H
#define COSTATE_CLI_PLOT_LINES_H

#include "plot_draw.h"

typedef struct panel {
    const char *group;
    int count, thicket; /* thicket: too many to tell apart */
    int *line;
    double size; /* of the largest line, weighted */
    char *label[PLOT_STYLES];
    axis y;
} panel;

typedef struct lines {
    figure *g;
    int count;
    const plot_series *series;
    double *most; /* largest absolute value of each */
    char *done;   /* 1: it has a place in a panel or a map */
    char *log;    /* 1: a logarithmic axis suits it */
    int any;      /* 1: lines below their tolerances count, since there are no others */
    int panels, room, shown;
    panel *panel; /* those that are shown come first */
    int maps, maps_shown;
    heat_map *map; /* likewise */
    axis x;
} lines;

int line_counts(const lines *l, int i);    /* whether it is worth a place */
double line_size(const lines *l, int i);   /* its largest absolute value, weighted */
int same_group(const char *a, const char *b);

/* Gives lines that differ by an index, and those that are too many for panels, to maps; draws those; says what is in them. */
int maps_make(lines *l);
int maps_draw(lines *l);
void maps_note(const lines *l);
void maps_free(lines *l);

#endif
