import { normaliseDomain } from '../../mime/address.ts';
import { domainPart } from './authentication-results.ts';
import type { MethodResult } from './results-header.ts';
import type { SignatureTags } from './signature-header.ts';

/** How a result of DKIM names the signature that it is about; null where the border does not tell. */
export interface SignatureName {
  /** `header.d`, or else the domain of `header.i`, which may lie below it. */
  readonly domain: string | null;
  /** It is `d=` itself. */
  readonly isDomainExact: boolean;
  readonly selector: string | null;
  /** The beginning of `b=`, without blanks. */
  readonly value: string | null;
}

export interface DkimResult extends SignatureName {
  readonly result: string;
  /** Signatures of the mail that it may be about. */
  readonly named: readonly SignatureTags[];
}

/** What each result is about, or why they prove nobody. Pure. */
export function dkimResults(
  results: readonly MethodResult[],
  signatures: readonly SignatureTags[],
): readonly DkimResult[] | string {
  const read: DkimResult[] = [];
  for (const result of results) {
    const name = nameIn(result);
    if (name === null) return 'it names a signature by two domains';
    read.push({ ...name, result: result.result, named: signatures.filter((tags) => isNamed(tags, name)) });
  }
  if (read.some(isNone) && !read.every(isNone)) return 'it saw signatures, and none';
  if (signatures.length > 0 && read.some((each) => tellsTooOften(each, read)))
    return 'it tells of more signatures than there are';
  return disagree(read) ? 'two results for one signature' : read;
}

/** One that stands there once more than its signatures do was written by somebody else. */
function tellsTooOften(one: DkimResult, all: readonly DkimResult[]): boolean {
  if (one.value !== null || one.domain === null || one.named.length === 0) return false;
  const same = all.filter(
    ({ domain, selector, value }) => domain === one.domain && selector === one.selector && value === null,
  );
  return same.length > one.named.length;
}

const NONE: ReadonlySet<string> = new Set(['none', 'unknown']);

/** There was no signature, or none to look at. */
export const isNone = ({ result }: Pick<DkimResult, 'result'>): boolean => NONE.has(result);

function nameIn({ properties }: MethodResult): SignatureName | null {
  const said = properties.get('header.d') ?? '';
  const exact = said === '' || said.toLowerCase() === 'none' ? null : normaliseDomain(said);
  if (exact === null && said !== '' && said.toLowerCase() !== 'none') return null;
  const below = domainPart(properties.get('header.i'));
  if (exact !== null && below !== null && below !== exact && !below.endsWith(`.${exact}`)) return null;
  const value = (properties.get('header.b') ?? '').replace(/[ \t]+/g, '');
  const selector = (properties.get('header.s') ?? '').toLowerCase();
  return {
    domain: exact ?? below,
    isDomainExact: exact !== null,
    selector: selector === '' ? null : selector,
    value: value === '' ? null : value,
  };
}

function isNamed(tags: SignatureTags, { domain, isDomainExact, selector, value }: SignatureName): boolean {
  const isOfDomain =
    domain === null || tags.domain === domain || (!isDomainExact && domain.endsWith(`.${tags.domain}`));
  return (
    isOfDomain && (selector === null || tags.selector === selector) && (value === null || begins(tags.value, value))
  );
}

/** Some borders write it in small letters. */
const begins = (whole: string, start: string): boolean =>
  whole.startsWith(start) || (start === start.toLowerCase() && whole.toLowerCase().startsWith(start));

/** Whether two results that differ are about one signature, as far as the border tells. */
function disagree(results: readonly DkimResult[]): boolean {
  return results.some((one, index) =>
    results.slice(index + 1).some((other) => one.result !== other.result && mayBeOne(one, other)),
  );
}

function mayBeOne(one: DkimResult, other: DkimResult): boolean {
  const isSame =
    isCompatible(one.domain, other.domain) &&
    isCompatible(one.selector, other.selector) &&
    isCompatible(one.value, other.value, (left, right) => left.startsWith(right) || right.startsWith(left));
  if (!isSame) return false;
  // A border that tells no `b=` says twice the same of two signatures of one key.
  if (one.value !== null && other.value !== null) return true;
  return new Set([...one.named, ...other.named]).size < 2;
}

const isCompatible = (
  left: string | null,
  right: string | null,
  isSame = (one: string, other: string) => one === other,
): boolean => left === null || right === null || isSame(left, right);
