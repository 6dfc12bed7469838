/* try.h - returns from the calling function with the status of a call that failed. */
#ifndef COSTATE_BASE_TRY_H
#define COSTATE_BASE_TRY_H

#define TRY(call)                                                                                                                \
    do {                                                                                                                         \
        int status_ = (call);                                                                                                    \
        if (status_) return status_;                                                                                             \
    } while (0)

#endif
