/** How a mail came to a border. */
export interface Session {
  readonly ip: string;
  /** The name that the address has in DNS; whoever owns the address chooses it. */
  readonly hostname: string;
  readonly helo: string;
  /** MAIL FROM as it stands between the angle brackets; empty for `<>`. */
  readonly mailFrom: string;
  readonly recipient: string;
}

/** One DKIM-Signature as a border sees it. */
export interface SeenSignature {
  readonly domain: string;
  readonly selector: string;
  /** `i=` as it stands there; empty without one. */
  readonly identity: string;
  /** `b=` as it stands there, with its blanks and folds. */
  readonly value: string;
  readonly result: 'pass' | 'fail' | 'permerror';
  /** Why it is no pass, in a verifier's words. */
  readonly reason: string;
}

/** What a border has found out of a mail, before it writes about it. */
export interface Facts extends Session {
  readonly signatures: readonly SeenSignature[];
  readonly spf: { readonly result: 'pass' | 'fail' | 'none'; readonly domain: string };
  readonly dmarc: {
    readonly result: 'pass' | 'fail' | 'none';
    /** Of From. */
    readonly domain: string;
    /** `none` where there is no record. */
    readonly policy: string;
    /** SPF of another host of the same organisation does not count. */
    readonly isSpfStrict: boolean;
    /** Somebody of another name in the same organisation is enough for it. */
    readonly isByAnother: boolean;
  };
  /**
   * What nobody but the provider knows of its own writing: whether it quotes what a sender chose, and whether it takes out
   * headers that bear its own name.
   */
  readonly quotes: boolean;
  readonly cleans: boolean;
  /** Some borders write their results in any order. */
  readonly order: number;
}

type Lines = readonly string[];

/** A border server as it writes: every header is one line with its folds, without the last line break. */
export interface Border {
  readonly name: string;
  /** `imap.authserv_id` of a mailbox behind it. */
  readonly authservId: string;
  readonly trustedReceived: readonly string[];
  /** Whether it says what DMARC says. */
  readonly tellsDmarc: boolean;
  /** Whether domains without a DMARC record can be proven by what it writes. */
  readonly provesWithoutDmarc: boolean;
  /** Whether it names a domain that SPF passed for. */
  readonly tellsSpf: boolean;
  /** What it puts on top, topmost first. */
  stamp(facts: Facts): Lines;
  /** What the mailbox behind it puts above that. */
  store(facts: Facts): Lines;
  /** What it puts below the header that came. */
  below?(facts: Facts): Lines;
  /** The headers that it takes out of a mail that comes in, by name and value. */
  removes(name: string, value: string, facts: Facts): boolean;
}

const DATE = 'Sat, 28 Nov 2026 10:00:00 +0000';

/** The mail as it is handed on by the border, or as it lies in the mailbox. */
export function bordered(raw: Buffer, border: Border, facts: Facts, place: 'handed on' | 'stored'): Buffer {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n') + 2;
  const kept = fieldsOf(text.slice(0, end)).filter((field) => {
    const colon = field.indexOf(':');
    return !border.removes(field.slice(0, colon).trimEnd().toLowerCase(), field.slice(colon + 1).trim(), facts);
  });
  const above = [...(place === 'stored' ? border.store(facts) : []), ...border.stamp(facts)];
  const lines = (list: Lines) => list.map((line) => `${line}\r\n`).join('');
  const head = lines(above).concat(kept.join(''), lines(border.below?.(facts) ?? []));
  return Buffer.concat([Buffer.from(head, 'utf8'), Buffer.from(text.slice(end), 'latin1')]);
}

/** The fields of a header, each with its folds and its line break. */
export const fieldsOf = (head: string): readonly string[] => head.match(/[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/g) ?? [];

/** A mailbox as it is inside of a server: without the quotation marks that a local part needs on the way. */
export function unquoted(address: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"@/s.exec(address);
  if (!quoted) return address;
  return `${(quoted[1] ?? '').replace(/\\(.)/gs, '$1')}${address.slice(quoted[0].length - 1)}`;
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The first characters of `b=`, as most borders print them. */
export const shortened = ({ value }: SeenSignature, blanksToo = false): string =>
  (blanksToo ? value.trim() : value.replace(/\s+/g, '')).slice(0, 8);

/** `i=` as OpenDKIM and Exim print it: its quoted-printable is undone, and nothing else is put in its place. */
export const decodedIdentity = (signature: SeenSignature): string =>
  identityOf(signature).replace(/=([0-9A-F]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** Why a verifier that looked at it all refused it. */
export const BODY_CHANGED = 'body hash did not verify';

export const identityOf = ({ identity, domain }: SeenSignature): string => identity || `@${domain}`;

/** The Received line of a Postfix, whose greeting has no special characters left. */
export function receivedByPostfix(host: string, { helo, hostname, ip, recipient }: Facts): string {
  const greeting = helo.replace(/[ <>()\\";@]/g, '?');
  return `Received: from ${greeting} (${hostname} [${ip}])\r\n\tby ${host} (Postfix) with ESMTP id 4WxYzAbCdE\r\n\tfor <${recipient}>; ${DATE}`;
}

/** What a Dovecot writes above a mail that it is handed over LMTP. */
export const storedByDovecot = (host: string, from: string, { mailFrom, recipient }: Facts): Lines => [
  `Return-Path: <${mailFrom}>`,
  `Delivered-To: ${recipient}`,
  `Received: from ${from} ([127.0.0.1])\r\n\tby ${host} with LMTP\r\n\tid mK0pBkW1aWfPDAAAZU03Dg\r\n\t(envelope-from <${mailFrom}>)\r\n\tfor <${recipient}>; ${DATE}`,
];

export { DATE };
