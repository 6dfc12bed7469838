/* source.c - the model file: read by the compiler for its descriptor, and, preprocessed, by costate diff for its text.
 *
 * If both find fault with it the compiler has the word: what is not C is not a matter of differentiation. If nothing has changed
 * since the last time, neither is started, and the text is not even read. */
#include "load/load.h"

#include "base/file.h"
#include "derive/held.h"
#include "front/front.h"
#include "load/cache.h"
#include "platform/object.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int choices(costate_model *m)
{
    const char *s = m->options.switches;
    if (!s || strcmp(s, "auto") == 0 || strcmp(s, "off") == 0) return 0;
    return ad_model_fail(m, COSTATE_MODEL_FILE, "error: switches = %s is neither auto nor off\n", s);
}

static int readable(costate_model *m)
{
    struct stat about;
    const char *slash = strrchr(m->file, '/'), *name = slash ? slash + 1 : m->file;
    if (*name == '@') /* whatever comes before it: compilers hand it on to others without */
        return ad_model_fail(m, COSTATE_MODEL_FILE,
                             "error: %s cannot be compiled, for compilers take a name with @ in front for a file of options\n",
                             m->file);
    int why = stat(m->file, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (!why && access(m->file, R_OK)) why = errno;
    if (why) return ad_model_fail(m, COSTATE_MODEL_FILE, "error: %s cannot be read: %s\n", m->file, strerror(why));
    if (!S_ISREG(about.st_mode)) /* it is read more than once */
        return ad_model_fail(m, COSTATE_MODEL_FILE, "error: %s is a pipe or a device, and a model is a file\n", m->file);
    if (ad_file_is_text(m->file)) return 0;
    return ad_model_fail(m, COSTATE_MODEL_FILE, "error: %s is no text, and a model is a text in C\n", m->file);
}

/* A definition is a name, or a name, '=' and text of one line: nothing that a compiler could take for an option or for the name
 * of a file of options. */
static int definitions(costate_model *m)
{
    static const char letters[] = "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
    for (int i = 0; i < m->options.defines; i++) {
        const char *text = m->options.define[i], *at = text ? text : "";
        const size_t first = strspn(at, letters);
        for (size_t n = first; n; n = strspn(at, letters) + strspn(at, digits)) at += n;
        int good = first && (!*at || *at == '=');
        for (; *at; at++) good &= (unsigned char)*at >= ' ' || *at == '\t';
        if (good) continue;
        return ad_model_fail(m, COSTATE_MODEL_FILE, "error: the definition '%s' is not of the form NAME or NAME=value\n",
                             text ? text : "");
    }
    return 0;
}

/* The name of the code of the user's file: of all that the compiler saw. */
static char *user_entry(const costate_model *m)
{
    const ad_build *b = &m->build;
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_field(&h, "descriptor");
    ad_build_hash(b, &h);
    for (int i = 0; i < b->wishes.defines; i++) ad_hash_field(&h, b->wishes.define[i]);
    ad_hash_bytes(&h, &m->manifest.files, sizeof m->manifest.files);
    return b->cache ? ad_cache_entry(m->arena, b->cache, ad_hash_end(&h), PLATFORM_OBJECT) : NULL;
}

int ad_holds_switches(const costate_model *m)
{
    return !m->options.switches || strcmp(m->options.switches, "auto") == 0;
}

/* The key of the text. */
static ad_digest key(const costate_model *m)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_build_hash(&m->build, &h);
    ad_hash_field(&h, m->options.nan_check ? "nan_check" : "");
    ad_hash_field(&h, ad_holds_switches(m) ? "switches" : "");
    ad_hash_bytes(&h, &m->manifest.text, sizeof m->manifest.text);
    return ad_hash_end(&h);
}

static int start_user(costate_model *m)
{
    return m->user.path || m->user.handle ? 0 : ad_model_trouble(m, ad_unit_start(&m->build, &m->user));
}

/* A failure, unless the compiler does not take the file: then it is its message. */
static int or_compiler(costate_model *m, int status)
{
    const char *message = ad_text(m->arena, "%s", ad_out_text(&m->message));
    const int user = m->user.handle ? 0 : start_user(m);
    const ad_trouble trouble = user ? AD_FINE : ad_unit_finish(&m->build, &m->user);
    const int compiled = user || trouble == AD_NO_ROOM ? user : ad_model_trouble(m, trouble); /* it need not be loaded */
    return compiled ? compiled : ad_model_fail(m, (costate_model_status)status, "%s", message);
}

static int preprocess(costate_model *m)
{
    const ad_trouble trouble = ad_preprocess(&m->build, &m->text, &m->length, &m->reads);
    if (!trouble) return 0;
    const int status = ad_model_trouble(m, trouble);
    return trouble == AD_NOT_C ? or_compiler(m, status) : status;
}

static ad_digest text_digest(const costate_model *m)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_bytes(&h, m->text, m->length);
    return ad_hash_end(&h);
}

/* The text, from the cache if it was not preprocessed before. */
static int find_text(costate_model *m)
{
    if (!m->text) m->text = ad_manifest_text(&m->build, &m->manifest, &m->length);
    if (m->text) return 0;
    const int status = preprocess(m);
    if (status) return status;
    const ad_digest now = text_digest(m);
    if (memcmp(&now, &m->manifest.text, sizeof now))
        return ad_model_fail(m, COSTATE_MODEL_FILE, "error: %s was changed while it was in use\n", m->file);
    ad_manifest_keep_text(&m->build, &m->manifest, m->text, m->length);
    return 0;
}

int ad_source_tree(costate_model *m)
{
    const int status = m->tree ? 0 : find_text(m);
    if (m->tree || status) return status;
    m->diag = ad_diag_open(m->arena);
    m->tree = ad_front(m->arena, m->diag, m->file, m->text, m->length);
    if (m->tree && ad_holds_switches(m)) ad_hold(m->arena, m->tree);
    if (m->tree) return 0;
    ad_model_fail(m, COSTATE_MODEL_REFUSED, "%s", ad_diag_text(m->diag));
    return or_compiler(m, COSTATE_MODEL_REFUSED);
}

/* All from the compiler. */
static int read_anew(costate_model *m, int compile)
{
    m->start = ad_manifest_start();
    int status = ad_model_trouble(m, ad_build_version(&m->build));
    if (!status && compile) status = start_user(m);
    if (!status) status = preprocess(m);
    if (status) return status;
    m->manifest.text = text_digest(m);
    status = ad_source_tree(m);
    if (!status) m->manifest.warnings = ad_diag_text(m->diag);
    return status;
}

int ad_source_open(costate_model *m, int compile)
{
    const costate_model_options *o = &m->options;
    const ad_wishes wishes = {.compiler = o->compiler, .flags = o->flags, .cache = o->cache, .stop = o->stop, .busy = o->busy,
                              .file = m->file, .defines = o->defines, .define = o->define};
    int status = readable(m);
    if (!status) status = definitions(m);
    if (!status) status = choices(m);
    if (status) return status;
    ad_build_open(&m->build, m->arena, &wishes);
    if (!ad_manifest_recall(&m->build, &m->manifest)) status = read_anew(m, compile);
    if (!status) m->key = key(m);
    return status;
}

int ad_source_finish(costate_model *m)
{
    int status = 0;
    if (!m->start) {
        m->user.entry = user_entry(m);
        ad_unit_recall(&m->build, &m->user);
    }
    if (!m->user.handle) status = start_user(m);
    if (!status) status = ad_model_trouble(m, ad_unit_finish(&m->build, &m->user));
    if (status) return status;
    if (m->start) {
        ad_unit_reads(&m->build, &m->user, &m->reads);
        if (ad_manifest_keep(&m->build, &m->manifest, m->text, m->length, &m->reads, m->start)) {
            m->user.entry = user_entry(m);
            ad_unit_keep(&m->build, &m->user);
        }
    }
    m->descriptor = platform_object_find(m->user.handle, "costate_model_descriptor");
    return m->descriptor ? 0 : ad_model_fail(m, COSTATE_MODEL_BUG, "error: the compiled model has no descriptor\n");
}
