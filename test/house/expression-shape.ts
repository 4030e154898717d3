/** A regular expression as a tree, as far as texts that it may like are made of it. */
export type Shape =
  /** One character of these; empty where the class takes nothing that we know. */
  | { readonly kind: 'one'; readonly of: readonly string[] }
  | { readonly kind: 'row'; readonly parts: readonly Shape[] }
  | { readonly kind: 'either'; readonly of: readonly Shape[] }
  | { readonly kind: 'many'; readonly min: number; readonly max: number; readonly part: Shape }
  /** What stands before or behind, and has no width. */
  | { readonly kind: 'look'; readonly part: Shape }
  | { readonly kind: 'nothing' };

/** Of every sort of character that a class could be about. */
const POOL = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...'\t\n\r\0\v\f\u001b\u007f\u0085\u00a0\u00ad\u0301\u034f\u061c\u200b\u200c\u200d\u200e\u2028\u202e\u202f\u2060\ufe0f\ufeff',
  ...'\u0660\u0967\uff11\uff21\uff20\uff0c\uff1a\u3001\u3002\ud800\udc00\ufdd0\ufffd\ue000',
  ...'äßÄİıſK\u212aéñçøœ«»“”„’…–—·№°€¿¡日年月は承ア가א א بЖжΣσ\u1160\u00b7\u00bd\u00b2',
  ...['👍', '\u{e0041}', '\u{1f3fb}', '\u{10ffff}'],
];
const NOTHING: Shape = { kind: 'nothing' };

export function shapeOf({ source, flags }: RegExp): Shape {
  const kindOfClasses = flags.replace(/[^iuvs]/g, '');
  let at = 0;

  const eat = (text: string): boolean => {
    const eats = source.startsWith(text, at);
    if (eats) at += text.length;
    return eats;
  };
  const classOf = (written: string): Shape => {
    const pattern = new RegExp(`^(?:${written})$`, kindOfClasses);
    const of = POOL.filter((character) => pattern.test(character));
    // Three of the beginning and three of the end: letters and what is no letter.
    return {
      kind: 'one',
      of: of.length <= 6 ? of : [...of.slice(0, 2), ...of.slice(of.length / 2, of.length / 2 + 2), ...of.slice(-2)],
    };
  };

  function either(): Shape {
    const of = [row()];
    while (eat('|')) of.push(row());
    return of.length === 1 ? (of[0] ?? NOTHING) : { kind: 'either', of };
  }

  function row(): Shape {
    const parts: Shape[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(atom()));
    return { kind: 'row', parts };
  }

  function repeated(part: Shape): Shape {
    const sign = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at));
    if (!sign) return part;
    at += sign[0].length;
    const [written, least = '', comma, most = ''] = sign;
    if (written.startsWith('*')) return { kind: 'many', min: 0, max: Infinity, part };
    if (written.startsWith('+')) return { kind: 'many', min: 1, max: Infinity, part };
    if (written.startsWith('?')) return { kind: 'many', min: 0, max: 1, part };
    const min = Number(least);
    return { kind: 'many', min, max: comma === '' ? min : most === '' ? Infinity : Number(most), part };
  }

  function atom(): Shape {
    if (eat('^') || eat('$') || eat('\\b') || eat('\\B')) return NOTHING;
    if (source[at] === '(') return group();
    if (source[at] === '[') return charClass();
    const escaped =
      /^\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<\w+>|c[A-Za-z]|[1-9]\d*|.)/su.exec(
        source.slice(at),
      )?.[0];
    if (escaped !== undefined) {
      at += escaped.length;
      return /^\\(?:[1-9]|k<)/.test(escaped) ? NOTHING : classOf(escaped);
    }
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += character.length;
    return character === '.' ? classOf('.') : { kind: 'one', of: [character] };
  }

  function group(): Shape {
    at += 1;
    const looks = eat('?=') || eat('?!') || eat('?<=') || eat('?<!');
    const opening = looks ? null : /^\?(?:<\w+>|[a-z]*(?:-[a-z]+)?:)/.exec(source.slice(at));
    at += opening?.[0].length ?? 0;
    const part = either();
    at += 1;
    return looks ? { kind: 'look', part } : part;
  }

  function charClass(): Shape {
    const start = at;
    let depth = 0;
    do {
      if (source[at] === '\\') at += 1;
      else if (source[at] === '[' && (depth === 0 || flags.includes('v'))) depth += 1;
      else if (source[at] === ']') depth -= 1;
      at += 1;
    } while (depth > 0 && at < source.length);
    return classOf(source.slice(start, at));
  }

  return either();
}
