import type { Manner } from './dkim.ts';

/** How a provider or a server signs. */
export interface Style {
  readonly id: string;
  /** An ordinary one: unmutated mail of it has to stay proven. */
  readonly honest: boolean;
  /** `present`: the names of the mail's fields, in lower case. */
  manner(mail: { readonly present: ReadonlySet<string>; readonly atS: number; readonly bodyBytes: number }): Manner;
}

const RELAXED = { header: 'relaxed', body: 'relaxed' } as const;
const SIMPLE = { header: 'simple', body: 'simple' } as const;
const MIXED = { header: 'relaxed', body: 'simple' } as const;

const BASIC = ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to', 'in-reply-to', 'references'];
const MIME = ['mime-version', 'content-type', 'content-transfer-encoding'];
const STRICT = [...BASIC, 'sender', ...MIME];
const WEEK_S = 7 * 86_400;

interface Habits {
  /** Named whether the mail has them or not, so that none can be added. */
  readonly over?: readonly string[];
  readonly honest?: boolean;
  readonly more?: (mail: { readonly atS: number; readonly bodyBytes: number }) => Partial<Manner>;
}

/** `names` are signed where the mail has them. */
function style(id: string, names: readonly string[], { over = [], honest = true, more = timed }: Habits = {}): Style {
  return {
    id,
    honest,
    manner: ({ present, ...mail }) => ({
      algorithm: 'rsa-sha256',
      canonical: RELAXED,
      names: [...names.filter((name) => present.has(name.toLowerCase())), ...over],
      ...more(mail),
    }),
  };
}

const timed = ({ atS }: { readonly atS: number }): Partial<Manner> => ({ tags: { t: `${atS}` } });
const untimed = (): Partial<Manner> => ({});

export const STYLES: readonly Style[] = [
  // The largest provider: Content-Type is left out; what counts is named once more against additions.
  style('gmail', [...BASIC.filter((name) => name !== 'reply-to'), 'mime-version'], {
    over: ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to'],
    more: ({ atS }) => ({ tags: { t: `${atS}`, x: `${atS + WEEK_S}`, darn: 'agents.localhost' } }),
  }),
  style('oversigned', STRICT, { over: STRICT }),
  style('minimal', ['from', 'to', 'subject', 'date'], { more: untimed }),
  style('without-mime', BASIC),
  style('rspamd', STRICT, {
    over: ['from', 'to', 'subject', 'date', 'message-id', ...MIME],
    more: ({ atS }) => ({ canonical: MIXED, tags: { t: `${atS}` } }),
  }),
  style('simple', [...BASIC, ...MIME], { more: () => ({ canonical: SIMPLE }) }),
  style('ed25519', STRICT, {
    over: ['from', 'subject'],
    more: ({ atS }) => ({ algorithm: 'ed25519-sha256', tags: { t: `${atS}` } }),
  }),
  style('opendkim', ['Date', 'From', 'To', 'Cc', 'Reply-To', 'Subject', 'Message-ID', 'References', 'In-Reply-To'], {
    over: ['From'],
    more: ({ atS }) => ({ canonical: MIXED, tags: { t: `${atS}`, i: '@owner.test' } }),
  }),
  style('copied', [...BASIC, 'mime-version'], {
    more: ({ atS }) => ({ tags: { t: `${atS}`, z: 'From:boss@owner.test|Subject:A=20question' } }),
  }),
  // The largest provider for offices signs whom the mail is from, and not to whom it goes.
  style('microsoft', ['From', 'Date', 'Subject', 'Message-ID', 'Content-Type', 'MIME-Version'], {
    over: ['X-MS-Exchange-SenderADCheck'],
    honest: false,
    more: untimed,
  }),
  style('from-alone', ['from'], { honest: false, more: untimed }),
  style('without-subject', ['from', 'to', 'date'], { honest: false, more: untimed }),
  style('undated', ['from', 'to', 'subject', 'message-id'], { honest: false, more: untimed }),
  // The body is covered as far as it went when it was signed.
  style('partial', STRICT, {
    over: STRICT,
    honest: false,
    more: ({ atS, bodyBytes }) => ({ canonical: MIXED, tags: { t: `${atS}` }, bodyBytes }),
  }),
];
