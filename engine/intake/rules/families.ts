import { lowerAscii, stripPlusTag } from '../../mail/mime/address.ts';

/**
 * One for all addresses that differ only in numbers, in their plus-tag or in the first label of their host: what a
 * program writes from which takes another one for each mail. The key of an address, and no address. Pure.
 */
export function familyOf(address: string): string {
  const key = lowerAscii(stripPlusTag(address));
  const at = key.lastIndexOf('@');
  const parts = key.slice(0, at).split(/([-_.=])/);
  const local = parts.map((part) => (/\d/.test(part) ? '#' : part)).join('');
  const labels = key.slice(at + 1).split('.');
  const [, next = ''] = labels;
  // Below a short label anybody may have a name: `a.co.uk` and `b.co.uk` are two companies.
  const host = labels.length > 2 && next.length > 3 ? ['*', ...labels.slice(1)] : labels;
  return `${local}@${host.join('.').replace(/\d+/g, '#')}`;
}
