/* How a value crosses between the guest and the host: JSON text with tags, and raw bytes behind it. */
#ifndef WIRE_H
#define WIRE_H

#include "quickjs.h"

/*
 * A message is the size of its text in four bytes (little-endian), JSON text, a zero byte, and the bytes that the
 * text refers to. In the text an object with the one key "$" is a tag:
 *   ["u"] undefined     ["n", "NaN"|"Infinity"|"-Infinity"|"-0"]     ["i", "123"] a big integer
 *   ["d", milliseconds] a date     ["b", offset, size] bytes     ["f", number, name, blocking] a host function
 *   ["o", object] an object of the author's own that has a key "$"
 */

typedef struct {
    char *data;
    size_t size;
    size_t capacity;
    int failed; /* there was no memory for more */
} Buffer;

/* Whether an allocation has failed at some moment, since the error of it may be lost on its way: the code's own, or one
 * for the message of a value on its way out. The host has the same numbers. */
enum { OUT_OF_MEMORY = 1, OUT_OF_MEMORY_LEAVING };
extern int out_of_memory;

/* What is easier said in JavaScript; the boot script sets these when it is loaded. */
enum { HOOK_DISPATCH, HOOK_PLAIN, HOOK_BIG_INTEGER, HOOK_HOST_FUNCTION, HOOKS };
JSValue call_hook(JSContext *ctx, int hook, int argc, JSValueConst *argv);

/* Makes the message of a value in `out`, whose data the caller frees. Returns -1 with an exception pending. */
int wire_write(JSContext *ctx, JSValueConst value, Buffer *out);

/* The value of a message; an exception when it cannot be read. */
JSValue wire_read(JSContext *ctx, const uint8_t *message, size_t size);

#endif
