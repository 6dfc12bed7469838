/* place.h - a place in a text of the user's. */
#ifndef COSTATE_AD_PLACE_H
#define COSTATE_AD_PLACE_H

/* Where a node comes from, for messages and for the comments of the emitted code. line 0: made by a pass. */
typedef struct ad_place {
    const char *file; /* as the user named it, or the header's path */
    int line, col;    /* counted from 1 */
} ad_place;

#endif
