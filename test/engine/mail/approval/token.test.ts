import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findToken, stripTokens, typedTokens } from '../../../../engine/mail/approval/token.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { joined, mime, part, REPLY, rawMail } from '../../../corpus/build.ts';
import { LIMITS } from '../limits.ts';
import { writtenOf } from '../written.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const OTHER = 'f'.repeat(32);

describe('the token of a notice', () => {
  const find = (subject: string, newText: string, recipients: string[] = []) =>
    findToken({ subject, typedTokens: typedTokens(writtenOf(newText)) }, recipients);

  it('is taken from the recipient first, then from the subject, then from what was typed', () => {
    const address = `ada+ok-${TOKEN}@agents.localhost`;
    expect(find(`[ok-${OTHER}] x`, `ok-${OTHER}`, [address])).toEqual({ token: TOKEN, carrier: 'recipient' });
    expect(find(`Re: [ok-${TOKEN}] x`, `ok-${OTHER}`, ['ada@agents.localhost'])).toEqual({
      token: TOKEN,
      carrier: 'subject',
    });
    expect(find('Re: x', `approve ok-${TOKEN}`)).toEqual({ token: TOKEN, carrier: 'typed' });
    expect(find('Re: x', 'approve')).toBeNull();
  });

  it('is known in capitals and with the dash that a phone makes', () => {
    expect(find('', `Ok–${TOKEN.toUpperCase()}`)).toEqual({ token: TOKEN, carrier: 'typed' });
  });

  it('is never taken from a quoted line', () => {
    expect(find('', `approve\n> ok-${TOKEN}\n  > ok-${TOKEN}`)).toBeNull();
  });

  it('is nobody’s when one carrier names two notices', () => {
    expect(find(`[ok-${TOKEN}] [ok-${OTHER}]`, '')).toBeNull();
    expect(find(`[ok-${OTHER}]`, '', [`a+ok-${TOKEN}@x.example`, `a+ok-${OTHER}@x.example`])).toBeNull();
    expect(find(`[ok-${TOKEN}] [ok-${TOKEN}]`, '')).toEqual({ token: TOKEN, carrier: 'subject' });
  });

  it('has 32 digits and stands alone', () => {
    for (const text of [`ok-${TOKEN}0`, `ok-${TOKEN.slice(1)}`, `book-${TOKEN}`, `ok-${TOKEN.slice(1)}g`, TOKEN]) {
      expect(find('', text)).toBeNull();
    }
    expect(find(`ok-${TOKEN}`, '', [`ada-ok-${TOKEN}@agents.localhost`, `ok-${TOKEN}@agents.localhost`])).toBeNull();
  });
});

describe('M9: a mail that the worker has read', () => {
  const file = (name: string, type: string, content: string) =>
    part(type, content, `Content-Disposition: attachment; filename="${name}"`);
  it('holds no token in any of its texts, and tells those that were typed', async () => {
    const quote = `On Mon, Mar 2, 2026 Ada <ada+ok-${OTHER}@agents.localhost> wrote:\n> ok-${OTHER}`;
    const body = joined('b', [
      part('text/plain', `approve ok-${TOKEN}\n\n-- \nMia ok-${OTHER}\n\n${quote}`),
      file('a.txt', 'text/plain', `see +ok-${OTHER}@x`),
      file('b.html', 'text/html', `<p>ok-${OTHER}</p>`),
      file('c.eml', 'message/rfc822', `From: a@b.example\nSubject: x\n\nok-${OTHER}`),
    ]);
    const raw = rawMail('tokens', { headers: [...REPLY, ...mime('multipart/mixed; boundary="b"')], body });
    const outcome = await readMail(raw, LIMITS);
    if (!outcome.ok) throw new Error(outcome.message);
    const { typedTokens: typed, attachments, text, newText, quotedText, signature, forwardedText } = outcome.mail;
    expect(typed).toEqual([TOKEN]);
    expect([newText, attachments.length]).toEqual(['approve', 3]);
    const texts = [text, newText, quotedText, signature, forwardedText];
    expect(quotedText).toContain('ada@agents.localhost');
    expect(texts.filter((each) => /[0-9a-f]{32}/.test(each ?? ''))).toEqual([]);
  });
});

describe('text that is kept or shown', () => {
  it('has lost every carrier of a token and nothing else', () => {
    expect(stripTokens(`Re: [ok-${TOKEN}] Send it`)).toBe('Re: Send it');
    expect(stripTokens(`Ada <ada+ok-${TOKEN}@agents.localhost> wrote:`)).toBe('Ada <ada@agents.localhost> wrote:');
    expect(stripTokens(`mailto:ada%2Bok-${TOKEN}%40agents.localhost?x`)).toBe('mailto:ada%40agents.localhost?x');
    expect(stripTokens(`ok-${TOKEN}\napprove ok-${TOKEN.toUpperCase()}\nbye`)).toBe('\napprove\nbye');
    expect(stripTokens(`a+ok-${TOKEN}+ok-${OTHER}@b`)).toBe('a@b');
    const other = 'Take ok-1 and a+b@c.example, OK - 42, [ok-abc].';
    expect(stripTokens(other)).toBe(other);
  });

  it('holds no token however they are nested', () => {
    const piece = fc.constantFrom(
      'ok-',
      '[',
      ']',
      '+',
      '@',
      ' ',
      '\n',
      '%2b',
      '%40',
      '–',
      'o',
      'k-',
      TOKEN,
      `ok-${TOKEN}`,
      '01234567',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const left = stripTokens(pieces.join(''));
        expect(left).not.toMatch(/ok[-–][0-9a-f]{32}/i);
        expect(find(left)).toBeNull();
      }),
      { numRuns: 3000, seed: 20260306 },
    );
  });

  const find = (text: string) => findToken({ subject: text, typedTokens: typedTokens(text) }, [text]);
});
