/* One QuickJS runtime and context for each instance, driven by messages through two imports. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quickjs.h"
#include "wire.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

/* What is sent to the host, and what the host dispatches; the host has the same numbers. */
enum { ASK_RESOLVE, ASK_LOAD, ASK_CALL, SEND_CALL, SEND_RESULT, SEND_REPORT, SEND_LOG, SEND_BYTECODE };

/* Hands the host a message. It answers the size of its own answer, below zero -1-size of the words of an error. An
 * answer that fits in `room` is in `into` then; a longer one `host_take` copies. */
IMPORT(send) int32_t host_send(int32_t kind, int32_t id, const void *message, size_t size, void *into, size_t room);
IMPORT(take) void host_take(void *into);

static JSRuntime *runtime;
static JSContext *context;
static JSValue hooks[HOOKS];
int out_of_memory;
static uint64_t random_state[2];
static int has_result; /* and with it the run ends: what is left is not run */

/* ---- memory: an allocation that fails is remembered ---- */

static void *noted(void *memory) {
    if (!memory) out_of_memory = OUT_OF_MEMORY;
    return memory;
}
static void *take_zeroed(void *opaque, size_t count, size_t size) { return noted(calloc(count, size)); }
static void *take_memory(void *opaque, size_t size) { return noted(malloc(size)); }
static void *resize_memory(void *opaque, void *memory, size_t size) {
    void *moved = realloc(memory, size);
    return size ? noted(moved) : moved;
}
static void give_back(void *opaque, void *memory) { free(memory); }
extern size_t malloc_usable_size(void *memory);
static size_t usable_size(const void *memory) { return malloc_usable_size((void *)memory); }
static const JSMallocFunctions memory_functions = {take_zeroed, take_memory, give_back, resize_memory, usable_size};

/* ---- asking the host ---- */

/* Gives the pending error its words: what QuickJS formats itself it cuts after 255 bytes. */
static JSValue throw_saying(JSContext *ctx, const char *words) {
    JSValue error = JS_GetException(ctx);
    JS_DefinePropertyValueStr(ctx, error, "message", JS_NewString(ctx, words), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return JS_Throw(ctx, error);
}

typedef struct {
    uint8_t *data; /* zero-terminated; NULL when there was no memory */
    size_t size;
    int failed; /* the data are the words of an error */
} Answer;

static Answer ask(int kind, int id, const void *message, size_t size) {
    static uint8_t inbox[16384]; /* each call of the host costs more than what it does */
    int32_t told = host_send(kind, id, message, size, inbox, sizeof inbox);
    Answer answer = {NULL, (size_t)(told < 0 ? -1 - told : told), told < 0};
    answer.data = noted(malloc(answer.size + 1));
    if (!answer.data) return answer;
    if (answer.size <= sizeof inbox)
        memcpy(answer.data, inbox, answer.size);
    else
        host_take(answer.data);
    answer.data[answer.size] = 0;
    return answer;
}

static void tell(int kind, int id, const void *message, size_t size) { host_send(kind, id, message, size, NULL, 0); }

/* `id` and the value as a message; the answer, if it is asked for, as a value. */
static JSValue exchange(JSContext *ctx, int kind, int id, JSValueConst value) {
    Buffer message;
    if (wire_write(ctx, value, &message) < 0) return JS_EXCEPTION;
    if (kind != ASK_CALL) {
        has_result |= kind == SEND_RESULT;
        tell(kind, id, message.data, message.size);
        free(message.data);
        return JS_UNDEFINED;
    }
    Answer answer = ask(kind, id, message.data, message.size);
    free(message.data);
    if (!answer.data) return JS_ThrowOutOfMemory(ctx);
    JSValue result = wire_read(ctx, answer.data, answer.size);
    free(answer.data);
    return result;
}

/* ---- the module `sb:native`, which the boot script alone imports ---- */

static JSValue native_send(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    int kind, id;
    if (JS_ToInt32(ctx, &kind, argv[0]) < 0 || JS_ToInt32(ctx, &id, argv[1]) < 0) return JS_EXCEPTION;
    return exchange(ctx, kind, id, argv[2]);
}

static JSValue native_set_hooks(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    for (int i = 0; i < HOOKS; i++) {
        JS_FreeValue(ctx, hooks[i]);
        hooks[i] = JS_DupValue(ctx, argv[i]);
    }
    return JS_UNDEFINED;
}

JSValue call_hook(JSContext *ctx, int hook, int argc, JSValueConst *argv) {
    return JS_Call(ctx, hooks[hook], JS_UNDEFINED, argc, argv);
}

/* An instance is a copy of a frozen one, so its randomness is taken from the host when it is first asked for. */
static JSValue native_random(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    while (!random_state[0] && !random_state[1])
        if (getentropy(random_state, sizeof random_state)) return JS_ThrowInternalError(ctx, "no randomness");
    uint64_t a = random_state[0], b = random_state[1];
    random_state[0] = b;
    a ^= a << 23;
    random_state[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
    return JS_NewFloat64(ctx, (double)((random_state[1] + b) >> 11) * 0x1p-53);
}

/* As many bytes of the host's randomness, which it gives in portions. */
static JSValue native_entropy(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    enum { PORTION = 256, MOST = 65536 };
    static uint8_t bytes[MOST];
    uint32_t size;
    if (JS_ToUint32(ctx, &size, argv[0]) < 0) return JS_EXCEPTION;
    if (size > MOST) return JS_ThrowRangeError(ctx, "at most %d bytes at a time", MOST);
    for (uint32_t at = 0; at < size; at += PORTION)
        if (getentropy(bytes + at, size - at < PORTION ? size - at : PORTION))
            return JS_ThrowInternalError(ctx, "no randomness");
    return JS_NewUint8ArrayCopy(ctx, bytes, size);
}

static const struct {
    const char *name;
    JSCFunction *function;
    int arguments;
} natives[] = {{"send", native_send, 3}, {"setHooks", native_set_hooks, HOOKS}, {"random", native_random, 0},
               {"entropy", native_entropy, 1}};
enum { NATIVES = sizeof natives / sizeof *natives };

static int fill_native(JSContext *ctx, JSModuleDef *module) {
    for (int i = 0; i < NATIVES; i++) {
        JSValue function = JS_NewCFunction(ctx, natives[i].function, natives[i].name, natives[i].arguments);
        if (JS_SetModuleExport(ctx, module, natives[i].name, function) < 0) return -1;
    }
    return 0;
}

static JSModuleDef *native_module(JSContext *ctx, const char *name) {
    JSModuleDef *module = JS_NewCModule(ctx, name, fill_native);
    for (int i = 0; module && i < NATIVES; i++)
        if (JS_AddModuleExport(ctx, module, natives[i].name) < 0) return NULL;
    return module;
}

/* ---- modules: the host says what a specifier means and gives the text ---- */

static char *resolve(JSContext *ctx, const char *importer, const char *specifier, void *opaque) {
    if (!strcmp(importer, "sb:boot.js")) return js_strdup(ctx, specifier); /* it says names only */
    size_t first = strlen(importer) + 1, second = strlen(specifier);
    char *both = js_malloc(ctx, first + second), *name = NULL;
    if (!both) return NULL;
    memcpy(both, importer, first);
    memcpy(both + first, specifier, second);
    Answer answer = ask(ASK_RESOLVE, 0, both, first + second);
    js_free(ctx, both);
    if (!answer.data)
        JS_ThrowOutOfMemory(ctx);
    else if (answer.failed)
        JS_ThrowReferenceError(ctx, "module"), throw_saying(ctx, (char *)answer.data);
    else
        name = js_strdup(ctx, (char *)answer.data);
    free(answer.data);
    return name;
}

/* An answer is bytecode after a 1, which only the freezer gives, or text after a 0. */
static JSValue compile(JSContext *ctx, const char *name) {
    Answer answer = ask(ASK_LOAD, 0, name, strlen(name));
    JSValue code;
    if (!answer.data)
        code = JS_ThrowOutOfMemory(ctx);
    else if (answer.failed)
        JS_ThrowSyntaxError(ctx, "module"), code = throw_saying(ctx, (char *)answer.data);
    else if (answer.size && answer.data[0] == 1)
        code = JS_ReadObject(ctx, answer.data + 1, answer.size - 1, JS_READ_OBJ_BYTECODE);
    else
        code = JS_Eval(ctx, (char *)answer.data + 1, answer.size - 1, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    free(answer.data);
    return code;
}

static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque, JSValueConst attributes) {
    if (!strcmp(name, "sb:native")) return native_module(ctx, name);
    JSValue code = compile(ctx, name);
    if (JS_IsException(code)) return NULL;
    JSModuleDef *module = JS_VALUE_GET_PTR(code);
    JS_FreeValue(ctx, code); /* the list of loaded modules keeps it */
    JSValue meta = JS_GetImportMeta(ctx, module);
    if (JS_IsException(meta)) return NULL;
    JS_DefinePropertyValueStr(ctx, meta, "url", JS_NewString(ctx, name), JS_PROP_C_W_E);
    JS_FreeValue(ctx, meta);
    return module;
}

/* `with { type: 'json' }` is allowed and says nothing new: the name of a module tells what it is. */
static int allow_attributes(JSContext *ctx, void *opaque, JSValueConst attributes) { return 0; }

/* ---- exports ---- */

EXPORT(allocate) void *allocate(size_t size) { return noted(malloc(size ? size : 1)); }

EXPORT(ran_out_of_memory) int ran_out_of_memory(void) { return out_of_memory; }

EXPORT(collect_garbage) void collect_garbage(void) { JS_RunGC(runtime); }

EXPORT(start) int start(size_t stack_size) {
    runtime = JS_NewRuntime2(&memory_functions, NULL);
    if (!runtime) return -1;
    JS_SetMaxStackSize(runtime, stack_size);
    context = JS_NewContext(runtime);
    if (!context) return -1;
    for (int i = 0; i < HOOKS; i++) hooks[i] = JS_UNDEFINED;
    JS_SetModuleLoaderFunc2(runtime, resolve, load, allow_attributes, NULL);
    return 0;
}

/* Everything that can run, runs, until there is a result; what a job throws is the business of its promise. */
static void run_jobs(void) {
    JSContext *ctx;
    while (!has_result && JS_ExecutePendingJob(runtime, &ctx) != 0) {
    }
}

/* Takes a message of the host, gives it to the boot script and runs until all that is left waits for the host.
 * Returns -1 when there was no memory for it, or the boot script itself failed. */
EXPORT(dispatch) int dispatch(int kind, int id, size_t size) {
    uint8_t *message = noted(malloc(size));
    if (!message) return -1;
    host_take(message);
    JSValue value = wire_read(context, message, size);
    free(message);
    JSValue told[3] = {JS_NewInt32(context, kind), JS_NewInt32(context, id), value};
    JSValue done = JS_IsException(value) ? JS_EXCEPTION : call_hook(context, HOOK_DISPATCH, 3, told);
    JS_FreeValue(context, value);
    int failed = JS_IsException(done);
    JS_FreeValue(context, done);
    run_jobs();
    return failed ? -1 : 0;
}

/* ---- for the freezer only: compile a module that the host loads, or evaluate it; `name` is freed here ---- */

EXPORT(compile_module) int compile_module(char *name) {
    JSValue code = compile(context, name);
    free(name);
    if (JS_IsException(code)) return -1;
    size_t size;
    uint8_t *bytecode = JS_WriteObject(context, &size, code, JS_WRITE_OBJ_BYTECODE);
    JS_FreeValue(context, code);
    if (!bytecode) return -1;
    tell(SEND_BYTECODE, 0, bytecode, size);
    js_free(context, bytecode);
    return 0;
}

EXPORT(evaluate_module) int evaluate_module(char *name) {
    JSValue done = JS_LoadModule(context, "sb:", name);
    free(name);
    run_jobs();
    int state = JS_PromiseState(context, done);
    if (state == JS_PROMISE_REJECTED) JS_Throw(context, JS_PromiseResult(context, done));
    JS_FreeValue(context, done);
    return state == JS_PROMISE_FULFILLED ? 0 : -1;
}

/* The words of the pending exception, as a log line. */
EXPORT(say_exception) void say_exception(void) {
    JSValue error = JS_GetException(context);
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    const char *words = JS_ToCString(context, error), *trace = JS_ToCString(context, stack);
    if (words) tell(SEND_LOG, 0, words, strlen(words));
    if (trace) tell(SEND_LOG, 0, trace, strlen(trace));
    JS_FreeCString(context, words);
    JS_FreeCString(context, trace);
    JS_FreeValue(context, stack);
    JS_FreeValue(context, error);
}
