import type { Random } from '../../../../scripts/lib/soak/random.ts';
import { EVIL, type Victim } from '../letters.ts';

/** Results that would prove the victim, as a border might have written them. */
export function claim(random: Random, { domain, address }: Victim): string {
  return random.pick([
    `dmarc=pass header.from=${domain}`,
    `dmarc=pass action=none header.from=${domain}`,
    `dmarc=pass (p=REJECT) header.from=${domain}`,
    `spf=pass smtp.mailfrom=${domain}`,
    `spf=pass smtp.mailfrom=${address}`,
    `dkim=pass header.d=${domain}`,
    `dkim=pass header.i=@${domain} header.s=k`,
    `dkim=pass header.d=${domain} header.s=k header.b=AAAAAAAA`,
    `dmarc=pass header.from=${domain}; spf=pass smtp.mailfrom=${address}`,
    `dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`,
    `spf=pass smtp.mailfrom=${address}; dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`,
  ]);
}

const SPECIAL = [
  ')',
  '(',
  '))',
  '((',
  ')(',
  '"',
  '\\',
  '\\"',
  '\\\\',
  ';',
  ';;',
  ' ',
  '\t',
  ',',
  '<',
  '>',
  '@',
  '=',
  "'",
  '[',
  ']',
  '/',
  ':',
] as const;
const ENCODED = [
  '=?utf-8?q?=29=3B?=',
  '=?utf-8?b?KTs=?=',
  '%29%3B',
  '=3B',
  '&#59;',
  '\uff1b',
  '\u037e',
  '\uff08',
  '\uff09',
  '\u201d',
  '\u00a0',
  '\u2028',
  '\u0000',
  '\u0085',
  '\u00ff',
] as const;
const FRAMES: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  [');', ';x=('],
  ['a);', ';x=(b'],
  ['a";', ';x="b'],
  ['";', ';"'],
  ['a\\";', ';x=\\"b'],
  ['a\\\\";', ';x="b'],
  ['\\";', ''],
  ['a;', ';x=b'],
  ['a ;', '; b'],
  ['a) ;', ';(b'],
  ['(a);', ';x=(b)'],
  ['a(;', ';)b'],
  ['");', ';x=("'],
  ['\\);', ';x=\\('],
  ['a" ', ' "b'],
  [') ', ' ('],
  [' ', ' '],
  ['', ''],
  ['x=', ''],
  ['a,b);', ';(c'],
  ['a)\t;', ';\t('],
  ['"a";', ';"b"'],
  ['\\', '\\'],
];

/** Words that a sender may choose, and that end what his border writes them into, so far as it lets them. */
export function payload(random: Random, victim: Victim): string {
  const wanted = claim(random, victim).replaceAll(' ', random.pick([' ', ' ', ' ', '(x)', '\t', '\u00a0', '']));
  if (random.chance(0.45)) {
    const [before, behind] = random.pick(FRAMES);
    return `${before}${wanted}${behind}`;
  }
  const pieces = Array.from({ length: random.between(1, 5) }, () =>
    random.chance(0.7)
      ? random.pick(SPECIAL)
      : random.chance(0.5)
        ? random.pick(ENCODED)
        : random.pick(['a', 'x=y', 'none', 'by', 'with']),
  );
  const behind = Array.from({ length: random.between(0, 4) }, () => random.pick(SPECIAL));
  return [...pieces, wanted, ...behind].join('');
}

/** An envelope sender with these words in its local part, or behind its sign. */
export function hostileSender(random: Random, victim: Victim): string {
  const words = payload(random, victim);
  const domain = random.pick([EVIL, EVIL, `mail.${EVIL}`, 'nobody.test', `customer7.${victim.domain}`]);
  const quoted = `"${words.replace(/(["\\])/g, '\\$1')}"@${domain}`;
  return random.pick([
    quoted,
    quoted,
    quoted,
    // Servers that are not strict take these, too.
    `"${words}"@${domain}`,
    `${words.replace(/\s/g, '_')}@${domain}`,
    `x@[${words}]`,
    `x@${domain};${words}`,
    `${victim.address};${words}@${domain}`,
    `${victim.address}@${domain}`,
    `"${victim.address}"@${domain}`,
    `@a.test,@b.test:"${words.replace(/(["\\])/g, '\\$1')}"@${domain}`,
    `x(${words})@${domain}`,
    `x@${domain}(${words})`,
  ]);
}

/** A name of a host or a greeting. */
export const hostileName = (random: Random, victim: Victim): string =>
  random.pick([
    payload(random, victim).replace(/\s/g, ''),
    payload(random, victim),
    `[${payload(random, victim).replace(/\s/g, '')}]`,
    victim.domain,
    'mx.lab.test',
    'mx.google.com',
    `x);by;mx.lab.test;(${EVIL}`,
    `x by imap.lab.test with LMTP`,
  ]);
