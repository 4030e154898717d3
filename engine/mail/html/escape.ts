import { ANY_MARK } from '../text/quote-marks.ts';

export const escapeAttribute = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** References stay for the converter to decode, except those that would become one of our marks. */
export function escapeText(text: string): string {
  if (!/[<>&]/.test(text)) return text;
  return text
    .replace(/&#(?:(\d+)|x([0-9a-f]+));?/gi, (whole, decimal, hex) => {
      const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code >= 0xfdd0 && code <= 0xfdef ? '' : whole;
    })
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/**
 * An address that may be shown as a link's target, ready for an attribute; null for scripts, data and fragments. On a
 * page it may be relative.
 */
export function safeHref(href: string | undefined, kind: 'mail' | 'page'): string | null {
  const target = (href ?? '')
    .replace(ANY_MARK, '')
    .replace(/[\s\p{Cc}]+/gu, '')
    .slice(0, 500);
  const isSafe =
    /^(https?:\/\/|mailto:)/i.test(target) || (kind === 'page' && /^(?![a-z][a-z0-9+.-]*:|#)./i.test(target));
  return isSafe ? escapeAttribute(target) : null;
}
