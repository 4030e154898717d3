import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToReadable } from '../../../engine/mail/html/to-text.ts';
import { readResults } from '../../../engine/mail/identity/border/results-header.ts';
import { parseAddressList } from '../../../engine/mail/mime/address.ts';
import { splitText } from '../../../engine/mail/reading/body.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { cases } from '../../corpus/cases.ts';
import { LIMITS } from './limits.ts';

const markup = fc
  .array(
    fc.constantFrom(
      '<',
      '>',
      '</',
      'div',
      ' style="',
      'display:none',
      '"',
      '<!--',
      '-->',
      '<p>',
      '<td>',
      '&#xFDD1;',
      '\ufdd0',
      'x ',
      '\n',
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));
const signs = fc
  .array(fc.constantFrom('<', '>', '"', '(', ')', ',', ':', ';', '@', '\\', 'a', 'a@b.c', ' ', '=?utf-8?q?=40?='), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));
const small = cases.filter(({ raw }) => raw.length < 3000);

describe('whatever comes in', () => {
  it('a damaged mail still settles with an outcome of its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: small.length - 1 }),
        fc.array(fc.tuple(fc.nat({ max: 3000 }), fc.nat({ max: 255 })), { maxLength: 12 }),
        fc.nat({ max: 3000 }),
        async (which, changes, end) => {
          const raw = Buffer.from(small[which]?.raw ?? '').subarray(0, 200 + end);
          for (const [at, byte] of changes) if (at < raw.length) raw[at] = byte;
          const outcome = await readMail(raw, LIMITS);
          if (outcome.ok)
            expect(JSON.stringify(outcome.mail.text + outcome.mail.newText)).not.toMatch(/[\ufdd0-\ufdef]/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('markup becomes text in which nobody can forge the end of a quote', () => {
    fc.assert(
      fc.property(markup, (inside) => {
        const { text } = htmlToReadable(`<blockquote type="cite">${inside.replaceAll('<', '&lt;')}</blockquote>`);
        const split = splitText(text, { isReply: true, isForward: false });
        expect(split.newText).toBe('');
      }),
    );
    fc.assert(fc.property(markup, (html) => typeof htmlToReadable(html).text === 'string'));
  });

  it('an address list never names an address that is not written there', () => {
    fc.assert(
      fc.property(signs, (header) => {
        for (const { address } of parseAddressList(header)) {
          expect(header.replaceAll('\\', '')).toContain(
            address
              .replaceAll('\\', '')
              .replace(/^"|"(?=@[^"]*$)/g, '')
              .split('@')[0],
          );
        }
        readResults(header, 'a');
      }),
    );
  });
});
