import { dkimVerify } from 'mailauth';
import {
  BODY_CHANGED,
  type Border,
  domainOf,
  type Facts,
  fieldsOf,
  type SeenSignature,
  type Session,
} from './facts.ts';

/** TXT records by name. */
export type Records = Readonly<Record<string, string>>;

/** What a border finds out of a mail: signatures by their keys, SPF and DMARC by the records. */
export async function concluded(
  raw: Buffer,
  session: Session,
  { records, quotes, cleans, order }: { records: Records } & Pick<Facts, 'quotes' | 'cleans' | 'order'>,
): Promise<Facts> {
  const signatures = await signaturesOf(raw, records);
  const checked = session.mailFrom === '' ? session.helo.toLowerCase() : domainOf(session.mailFrom);
  const spf = { result: spfOf(checked, session.ip, records), domain: checked };
  return {
    ...session,
    quotes,
    cleans,
    order,
    signatures,
    spf,
    dmarc: dmarcOf(fromDomain(raw), { spf, signatures }, records),
  };
}

/**
 * Whether the DMARC policy of the domain itself lets somebody below it write for it, and the border says so: then the
 * mail is no forgery by the domain's own word, and an older signature of the domain itself on it makes no difference.
 */
export const isDelegated = ({ dmarc, spf }: Facts, { tellsDmarc }: Border): boolean =>
  tellsDmarc && dmarc.isByAnother && !(spf.result === 'pass' && spf.domain === dmarc.domain);

function spfOf(domain: string, ip: string, records: Records): Facts['spf']['result'] {
  const record = records[domain];
  if (!record?.startsWith('v=spf1')) return 'none';
  return record.split(' ').includes(`ip4:${ip}`) ? 'pass' : 'fail';
}

/** All names of the tests end with `.test`, below which everybody may have a name. */
const organisation = (domain: string): string => domain.split('.').slice(-2).join('.');

function dmarcOf(
  domain: string,
  { spf, signatures }: Pick<Facts, 'spf' | 'signatures'>,
  records: Records,
): Facts['dmarc'] {
  const record = records[`_dmarc.${domain}`] ?? records[`_dmarc.${organisation(domain)}`];
  if (record === undefined) return { result: 'none', domain, policy: 'none', isSpfStrict: false, isByAnother: false };
  const tag = (name: string) => new RegExp(`\\b${name}=(\\w+)`).exec(record)?.[1];
  const isAligned = (other: string, mode: string | undefined) =>
    mode === 's' ? other === domain : organisation(other) === organisation(domain);
  const proving = [
    ...(spf.result === 'pass' && isAligned(spf.domain, tag('aspf')) ? [spf.domain] : []),
    ...signatures
      .map((each) => (each.result === 'pass' ? each.domain.toLowerCase() : ''))
      .filter((other) => other !== '' && isAligned(other, tag('adkim'))),
  ];
  return {
    result: proving.length > 0 ? 'pass' : 'fail',
    domain,
    policy: tag('p') ?? 'none',
    isSpfStrict: tag('aspf') === 's',
    isByAnother: proving.some((other) => other !== domain),
  };
}

/** As most readers take it: what stands in angle brackets, or the only word with a sign. */
function fromDomain(raw: Buffer): string {
  const head = raw.toString('utf8', 0, raw.indexOf('\r\n\r\n') + 2);
  const value = fieldsOf(head).find((field) => /^from[ \t]*:/i.test(field)) ?? '';
  const address = /<([^<>]*)>\s*$/.exec(value)?.[1] ?? value.replace(/^from[ \t]*:/i, '').trim();
  return domainOf(address).replace(/[>\s].*$/s, '');
}

async function signaturesOf(raw: Buffer, records: Records): Promise<SeenSignature[]> {
  const { results } = await dkimVerify(raw, {
    resolver: async (name, type) => {
      const text = type === 'TXT' ? records[name.toLowerCase()] : undefined;
      if (text === undefined) throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' });
      return [[text]];
    },
  });
  const left = [...results];
  const head = raw.toString('latin1', 0, raw.indexOf('\r\n\r\n') + 2);
  return fieldsOf(head)
    .filter((field) => /^dkim-signature[ \t]*:/i.test(field))
    .map((field) => {
      const tags = tagsOf(field.slice(field.indexOf(':') + 1));
      const domain = (tags.get('d') ?? '').replace(/\s+/g, '');
      const selector = (tags.get('s') ?? '').replace(/\s+/g, '');
      const at = left.findIndex((each) => each.signingDomain === domain && each.selector === selector);
      const [found] = at < 0 ? [] : left.splice(at, 1);
      return {
        domain,
        selector,
        identity: (tags.get('i') ?? '').replace(/\s+/g, ''),
        value: tags.get('b') ?? '',
        ...judged(found?.status.result, found?.status.comment),
      };
    });
}

function judged(result: string | undefined, comment: string | undefined): Pick<SeenSignature, 'result' | 'reason'> {
  if (result === 'pass') return { result: 'pass', reason: '' };
  if (result === undefined) return { result: 'permerror', reason: 'syntax error' };
  if (comment === 'no key') return { result: 'permerror', reason: 'no key for signature' };
  return { result: 'fail', reason: comment === BODY_CHANGED ? BODY_CHANGED : 'signature verification failed' };
}

function tagsOf(value: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const piece of value.split(';')) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim();
    if (name !== '' && !tags.has(name)) tags.set(name, piece.slice(equals + 1));
  }
  return tags;
}
