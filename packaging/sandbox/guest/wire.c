/* Writes and reads messages in C, so that nothing an author does to Object.prototype or JSON can reach them. */
#include "wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 250
#define MAX_SAFE_INTEGER 9007199254740991.0
/* Milliseconds of the years 1 to 9999, which is what the host has dates for. */
#define FIRST_DATE -62135596800000.0
#define LAST_DATE 253402300799999.0

/* The way from the message's root to a value: it finds cycles and says where something cannot cross. */
typedef struct Place {
    const struct Place *parent;
    void *object;
    const char *key; /* of this value in its parent, or NULL for an index */
    uint32_t index;
    int depth;
} Place;

typedef struct {
    JSContext *ctx;
    Buffer text;
    Buffer bytes;
} Writer;

static int write_value(Writer *w, JSValueConst value, const Place *place);

static void append(Buffer *buffer, const void *data, size_t size) {
    if (buffer->failed) return;
    if (size > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity + buffer->capacity / 2 + size + 64;
        char *larger = realloc(buffer->data, capacity);
        if (!larger) {
            buffer->failed = 1;
            return;
        }
        buffer->data = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

static void append_text(Writer *w, const char *text) { append(&w->text, text, strlen(text)); }

static void append_quoted(Writer *w, const char *text, size_t size) {
    size_t start = 0;
    append(&w->text, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        char escaped[8];
        int length = snprintf(escaped, sizeof escaped, c < 0x20 ? "\\u%04x" : "\\%c", c);
        append(&w->text, text + start, i - start);
        append(&w->text, escaped, (size_t)length);
        start = i + 1;
    }
    append(&w->text, text + start, size - start);
    append(&w->text, "\"", 1);
}

static void describe_place(const Place *place, char *out, size_t size) {
    if (!place->parent) {
        out[0] = 0;
        return;
    }
    describe_place(place->parent, out, size);
    size_t used = strlen(out);
    if (place->key)
        snprintf(out + used, size - used, "%s%s", used ? "." : "", place->key);
    else
        snprintf(out + used, size - used, "[%u]", place->index);
}

static int refuse(Writer *w, const Place *place, const char *what) {
    char where[200];
    describe_place(place, where, sizeof where);
    if (where[0])
        JS_ThrowTypeError(w->ctx, "%s cannot leave the sandbox (at %s)", what, where);
    else
        JS_ThrowTypeError(w->ctx, "%s cannot leave the sandbox", what);
    return -1;
}

static int write_word(Writer *w, const char *text) {
    append(&w->text, text, strlen(text));
    return 0;
}

static int write_string(Writer *w, JSValueConst value) {
    size_t size;
    const char *text = JS_ToCStringLen(w->ctx, &size, value);
    if (!text) return -1;
    append_quoted(w, text, size);
    JS_FreeCString(w->ctx, text);
    return 0;
}

static int write_number(Writer *w, JSValueConst value) {
    double number;
    if (JS_ToFloat64(w->ctx, &number, value) < 0) return -1;
    if (!isfinite(number)) {
        append_text(w, isnan(number)  ? "{\"$\":[\"n\",\"NaN\"]}"
                       : number > 0   ? "{\"$\":[\"n\",\"Infinity\"]}"
                                      : "{\"$\":[\"n\",\"-Infinity\"]}");
        return 0;
    }
    if (number == 0 && signbit(number)) {
        append_text(w, "{\"$\":[\"n\",\"-0\"]}");
        return 0;
    }
    const char *text = JS_ToCString(w->ctx, value);
    if (!text) return -1;
    append_text(w, text);
    /* A number beyond the safe integers is no exact integer, so it does not look like one. */
    if (fabs(number) > MAX_SAFE_INTEGER && !strpbrk(text, ".e")) append_text(w, ".0");
    JS_FreeCString(w->ctx, text);
    return 0;
}

static int write_tagged(Writer *w, const char *tag, JSValueConst value) {
    append_text(w, "{\"$\":[\"");
    append_text(w, tag);
    append_text(w, "\",");
    if (write_string(w, value) < 0) return -1;
    append_text(w, "]}");
    return 0;
}

static int write_date(Writer *w, JSValueConst value, const Place *place) {
    char text[64];
    double ms;
    if (JS_ToFloat64(w->ctx, &ms, value) < 0) return -1;
    if (!(ms >= FIRST_DATE && ms <= LAST_DATE)) return refuse(w, place, "A Date outside of the years 1 to 9999");
    snprintf(text, sizeof text, "{\"$\":[\"d\",%lld]}", (long long)ms);
    append_text(w, text);
    return 0;
}

static void write_bytes(Writer *w, const uint8_t *data, size_t size) {
    char text[64];
    snprintf(text, sizeof text, "{\"$\":[\"b\",%zu,%zu]}", w->bytes.size, size);
    append_text(w, text);
    append(&w->bytes, data, size);
}

static int write_elements(Writer *w, JSValueConst value, const Place *place) {
    int64_t length;
    if (JS_GetLength(w->ctx, value, &length) < 0) return -1;
    append(&w->text, "[", 1);
    for (int64_t i = 0; i < length; i++) {
        if (i) append(&w->text, ",", 1);
        JSValue item = JS_GetPropertyInt64(w->ctx, value, i);
        if (JS_IsException(item)) return -1;
        Place at = {place, NULL, NULL, (uint32_t)i, place->depth + 1};
        int failed = write_value(w, item, &at);
        JS_FreeValue(w->ctx, item);
        if (failed < 0 || w->text.failed) return -1;
    }
    append(&w->text, "]", 1);
    return 0;
}

static int write_member(Writer *w, JSValueConst owner, JSAtom name, const Place *place) {
    size_t size;
    const char *key = JS_AtomToCStringLen(w->ctx, &size, name);
    if (!key) return -1;
    JSValue member = JS_GetProperty(w->ctx, owner, name);
    int failed = -1;
    if (!JS_IsException(member)) {
        Place at = {place, NULL, key, 0, place->depth + 1};
        append_quoted(w, key, size);
        append(&w->text, ":", 1);
        failed = write_value(w, member, &at);
        JS_FreeValue(w->ctx, member);
    }
    JS_FreeCString(w->ctx, key);
    return failed;
}

static int write_members(Writer *w, JSValueConst value, const Place *place) {
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(w->ctx, &names, &count, value, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) return -1;
    JSAtom dollar = JS_NewAtom(w->ctx, "$");
    int failed = 0, looks_like_a_tag = 0;
    for (uint32_t i = 0; i < count; i++) looks_like_a_tag |= names[i].atom == dollar;
    JS_FreeAtom(w->ctx, dollar);
    append_text(w, looks_like_a_tag ? "{\"$\":[\"o\",{" : "{");
    for (uint32_t i = 0; i < count && !failed && !w->text.failed; i++) {
        if (i) append(&w->text, ",", 1);
        failed = write_member(w, value, names[i].atom, place);
    }
    append_text(w, looks_like_a_tag ? "}]}" : "}");
    JS_FreePropertyEnum(w->ctx, names, count);
    return failed;
}

/* A value that says itself how it is written; 1 when it did, 0 when it has no toJSON. */
static int write_by_to_json(Writer *w, JSValueConst value, const Place *place) {
    JSValue method = JS_GetPropertyStr(w->ctx, value, "toJSON");
    if (JS_IsException(method)) return -1;
    int done = 0;
    if (JS_IsFunction(w->ctx, method)) {
        JSValue said = JS_Call(w->ctx, method, value, 0, NULL);
        if (JS_IsException(said)) {
            done = -1;
        } else {
            Place at = *place;
            at.depth++;
            done = write_value(w, said, &at) < 0 ? -1 : 1;
            JS_FreeValue(w->ctx, said);
        }
    }
    JS_FreeValue(w->ctx, method);
    return done;
}

static int write_bytes_of(Writer *w, JSValueConst value) {
    size_t size;
    uint8_t *data = JS_IsArrayBuffer(value) ? JS_GetArrayBuffer(w->ctx, &size, value)
                                            : JS_GetUint8Array(w->ctx, &size, value);
    if (!data && JS_HasException(w->ctx)) return -1;
    write_bytes(w, data, data ? size : 0);
    return 0;
}

/* What the boot script turns into a plain value first: a Map, a Set, an Error. */
static int write_collection(Writer *w, JSValueConst value, const Place *place) {
    JSValue plain = call_hook(w->ctx, HOOK_PLAIN, 1, &value);
    if (JS_IsException(plain)) return -1;
    Place at = *place;
    at.depth++;
    int failed = JS_IsNull(plain) ? refuse(w, place, "A Map with keys that are not strings")
                                  : write_value(w, plain, &at);
    JS_FreeValue(w->ctx, plain);
    return failed;
}

static int write_object(Writer *w, JSValueConst value, const Place *place) {
    if (JS_IsFunction(w->ctx, value)) return refuse(w, place, "A function");
    if (JS_IsPromise(value)) return refuse(w, place, "A promise");
    if (JS_IsDate(value)) return write_date(w, value, place);
    int kind = JS_GetTypedArrayType(value);
    if (kind == JS_TYPED_ARRAY_UINT8 || kind == JS_TYPED_ARRAY_UINT8C || JS_IsArrayBuffer(value))
        return write_bytes_of(w, value);
    if (JS_IsArray(value) || kind >= 0) return write_elements(w, value, place);
    int written = write_by_to_json(w, value, place);
    if (written) return written < 0 ? -1 : 0;
    if (JS_IsMap(value) || JS_IsSet(value) || JS_IsError(value)) return write_collection(w, value, place);
    return write_members(w, value, place);
}

static int write_value(Writer *w, JSValueConst value, const Place *place) {
    if (JS_IsString(value)) return write_string(w, value);
    if (JS_IsNumber(value)) return write_number(w, value);
    if (JS_IsBool(value)) return write_word(w, JS_VALUE_GET_BOOL(value) ? "true" : "false");
    if (JS_IsNull(value)) return write_word(w, "null");
    if (JS_IsUndefined(value)) return write_word(w, "{\"$\":[\"u\"]}");
    if (JS_IsBigInt(value)) return write_tagged(w, "i", value);
    if (!JS_IsObject(value)) return refuse(w, place, "A symbol");
    if (place->depth >= MAX_DEPTH) return refuse(w, place, "A value nested deeper than 250 levels");
    Place here = *place;
    here.object = JS_VALUE_GET_PTR(value);
    for (const Place *above = place->parent; above; above = above->parent)
        if (above->object == here.object) return refuse(w, place, "A value that contains itself");
    return write_object(w, value, &here);
}

int wire_write(JSContext *ctx, JSValueConst value, Buffer *out) {
    Writer w = {.ctx = ctx};
    Place root = {0};
    append(&w.text, "\0\0\0\0", 4);
    int failed = write_value(&w, value, &root);
    uint32_t size = (uint32_t)w.text.size - 4;
    append(&w.text, "", 1);
    if (!failed) append(&w.text, w.bytes.data, w.bytes.size);
    if (w.text.failed || w.bytes.failed) {
        out_of_memory = OUT_OF_MEMORY_LEAVING;
        JS_ThrowOutOfMemory(ctx);
        failed = -1;
    }
    free(w.bytes.data);
    if (failed) {
        free(w.text.data);
        return -1;
    }
    memcpy(w.text.data, &size, sizeof size); /* wasm is little-endian */
    *out = w.text;
    return 0;
}

typedef struct {
    JSContext *ctx;
    const uint8_t *bytes;
    size_t size;
} Reader;

static JSValue read_value(Reader *r, JSValue value);

static JSValue item(Reader *r, JSValueConst list, uint32_t index) { return JS_GetPropertyUint32(r->ctx, list, index); }

static double number_at(Reader *r, JSValueConst list, uint32_t index) {
    double number = 0;
    JSValue value = item(r, list, index);
    JS_ToFloat64(r->ctx, &number, value);
    JS_FreeValue(r->ctx, value);
    return number;
}

static JSValue read_big_integer(Reader *r, JSValueConst list) {
    JSValue text = item(r, list, 1);
    JSValue made = call_hook(r->ctx, HOOK_BIG_INTEGER, 1, &text);
    JS_FreeValue(r->ctx, text);
    return made;
}

static JSValue read_bytes(Reader *r, JSValueConst list) {
    double offset = number_at(r, list, 1), size = number_at(r, list, 2);
    if (offset < 0 || size < 0 || offset + size > (double)r->size)
        return JS_ThrowRangeError(r->ctx, "the message is shorter than it says");
    return JS_NewUint8ArrayCopy(r->ctx, r->bytes + (size_t)offset, (size_t)size);
}

static JSValue read_host_function(Reader *r, JSValueConst list) {
    JSValue told[3] = {item(r, list, 1), item(r, list, 2), item(r, list, 3)};
    JSValue made = call_hook(r->ctx, HOOK_HOST_FUNCTION, 3, told);
    for (int i = 0; i < 3; i++) JS_FreeValue(r->ctx, told[i]);
    return made;
}

static JSValue read_number(Reader *r, JSValueConst list) {
    JSValue text = item(r, list, 1);
    double number = 0;
    JS_ToFloat64(r->ctx, &number, text);
    JS_FreeValue(r->ctx, text);
    return JS_NewFloat64(r->ctx, number);
}

static JSValue read_tag(Reader *r, JSValueConst list) {
    JSValue kind = item(r, list, 0);
    const char *text = JS_ToCString(r->ctx, kind);
    char tag = text ? text[0] : 0;
    JS_FreeCString(r->ctx, text);
    JS_FreeValue(r->ctx, kind);
    switch (tag) {
    case 'u': return JS_UNDEFINED;
    case 'n': return read_number(r, list);
    case 'i': return read_big_integer(r, list);
    case 'd': return JS_NewDate(r->ctx, number_at(r, list, 1));
    case 'b': return read_bytes(r, list);
    case 'f': return read_host_function(r, list);
    default: return JS_ThrowTypeError(r->ctx, "the message holds an unknown tag");
    }
}

/* Replaces the tags within a list or an object that JSON.parse made; takes and gives back the reference. */
static JSValue read_members(Reader *r, JSValue value) {
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(r->ctx, &names, &count, value, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) goto fail;
    for (uint32_t i = 0; i < count; i++) {
        JSValue member = JS_GetProperty(r->ctx, value, names[i].atom);
        if (!JS_IsObject(member)) {
            JS_FreeValue(r->ctx, member);
            continue;
        }
        member = read_value(r, member);
        if (JS_IsException(member) ||
            JS_DefinePropertyValue(r->ctx, value, names[i].atom, member, JS_PROP_C_W_E) < 0) {
            JS_FreePropertyEnum(r->ctx, names, count);
            goto fail;
        }
    }
    JS_FreePropertyEnum(r->ctx, names, count);
    return value;
fail:
    JS_FreeValue(r->ctx, value);
    return JS_EXCEPTION;
}

static JSValue read_value(Reader *r, JSValue value) {
    if (!JS_IsObject(value)) return value;
    JSValue tag = JS_IsArray(value) ? JS_UNDEFINED : JS_GetPropertyStr(r->ctx, value, "$");
    if (!JS_IsArray(tag)) {
        JS_FreeValue(r->ctx, tag);
        return read_members(r, value);
    }
    JSValue escaped = item(r, tag, 1), result;
    if (JS_IsObject(escaped)) {
        result = read_members(r, escaped);
    } else {
        JS_FreeValue(r->ctx, escaped);
        result = read_tag(r, tag);
    }
    JS_FreeValue(r->ctx, tag);
    JS_FreeValue(r->ctx, value);
    return result;
}

JSValue wire_read(JSContext *ctx, const uint8_t *message, size_t size) {
    uint32_t length = 0;
    if (size >= 5) memcpy(&length, message, sizeof length);
    if (size < 5 || length > size - 5) return JS_ThrowRangeError(ctx, "the message is shorter than it says");
    const uint8_t *text = message + 4, *bytes = text + length + 1;
    JSValue value = JS_ParseJSON(ctx, (const char *)text, length, "message");
    if (JS_IsException(value) || !memmem(text, length, "\"$\"", 3)) return value;
    Reader r = {ctx, bytes, size - 5 - length};
    return read_value(&r, value);
}
