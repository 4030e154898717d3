const MAX_NAME = 200;
/** Only so many characters of its end are read, where the base name stands: trimming 100,000 dots and blanks took ten seconds. */
const MAX_WRITTEN = 1000;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
// Names that open a device on Windows, with or without an extension.
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A base name that is safe to show and to store under: mail may call its attachment `../../etc/cron.d/x`. */
export function safeAttachmentName(name: string | null, type: string): string {
  const base = (name ?? '').slice(-MAX_WRITTEN).replace(UNSAFE, '').split(/[/\\]/).at(-1) ?? '';
  const tidy = base
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
    .replace(/\s+/g, ' ');
  const safe = RESERVED.test(tidy) ? `_${tidy}` : tidy;
  if (safe === '') return `attachment${EXTENSIONS[type] ?? ''}`;
  return safe.length <= MAX_NAME ? safe : shorten(safe);
}

function shorten(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return (
    Array.from(name)
      .join('')
      .slice(0, MAX_NAME - extension.length)
      .replace(/[\ud800-\udbff]$/, '') + extension
  );
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/calendar': '.ics',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'application/pdf': '.pdf',
};

const OCTETS = 'application/octet-stream';
/** What programs act upon by themselves, or take apart, is sent as bytes: whoever gets it opens it or does not. */
const ACTED_UPON =
  /^(?:message|multipart)\/|^text\/(?:calendar|html|x-|javascript)|^application\/(?:xhtml|pkcs7|x-pkcs7|pgp)/;

/** The type under which a file that somebody sent us is sent on, whatever they called it. */
export function typeSentOn({ type, charset }: { readonly type: string; readonly charset: string | null }): string {
  const lower = type.toLowerCase();
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(lower) || ACTED_UPON.test(lower)) return OCTETS;
  return lower.startsWith('text/') && /^[\w-]{1,40}$/.test(charset ?? '') ? `${lower}; charset=${charset}` : lower;
}

/** The same name twice becomes `a.txt` and `a (2).txt`. */
export function distinctNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const key = name.toLowerCase();
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    if (count === 1) return name;
    const dot = name.lastIndexOf('.');
    const stem = dot > 0 ? name.slice(0, dot) : name;
    return `${stem.slice(0, MAX_NAME - 20)} (${count})${dot > 0 ? name.slice(dot) : ''}`.slice(0, MAX_NAME);
  });
}

/** Two files of one mail that are called alike could be taken for each other. */
export function distinctlyNamed<File extends { readonly name: string }>(files: readonly File[]): File[] {
  const names = distinctNames(files.map(({ name }) => name));
  return files.map((file, index) => ({ ...file, name: names[index] ?? file.name }));
}
