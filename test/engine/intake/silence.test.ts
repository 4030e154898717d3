import { describe, expect, it } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { replyAddress, silenceOf } from '../../../engine/intake/rules/admit.ts';
import type { Identity } from '../../../engine/mail/mime/types.ts';
import { parsedFrom } from '../mail/fixtures.ts';

const persona = {
  ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost', access: { allow: ['*@ally.example'] } }),
  id: 'ada',
  owners: ['boss@example.org'],
};
const by = (address: string, authenticated = true): Identity => ({
  address,
  authenticated,
  method: 'dmarc',
  detail: '',
  covers: null,
  signatures: [],
  temporary: false,
});

describe('where an answer goes', () => {
  it.each([
    ['to From', null, 'mia@example.com'],
    ['L9: not to a Reply-To of the same domain, which may be a public provider', 'team@example.com', 'mia@example.com'],
    ['to From in capitals', 'Mia@EXAMPLE.com', 'mia@example.com'],
    ['to an owner', 'boss@example.org', 'boss@example.org'],
    ['to whom the persona allows', 'x@ally.example', 'x@ally.example'],
    ['not to another domain', 'thief@evil.test', 'mia@example.com'],
    ['not to a subdomain', 'x@sub.example.com', 'mia@example.com'],
    ['not to a domain that ends the same', 'x@notexample.com', 'mia@example.com'],
    ['not to two', 'a@example.com, b@example.com', 'mia@example.com'],
    ['not to what only looks like it', '"x@example.com" <thief@evil.test>', 'mia@example.com'],
    ['not to nonsense', 'undisclosed:;', 'mia@example.com'],
  ])('%s', async (_what, replyTo, expected) => {
    const mail = await parsedFrom({
      headers: [['From', 'mia@example.com'], ...(replyTo === null ? [] : [['Reply-To', replyTo] as const])],
    });
    expect(replyAddress(mail, by('mia@example.com'), persona)).toBe(expected);
  });

  it('is From alone when From is not proven', async () => {
    const mail = await parsedFrom({ headers: [['Reply-To', 'team@example.com']] });
    expect(replyAddress(mail, by('mia@example.com', false), persona)).toBe('mia@example.com');
  });
});

describe('mail from ourselves', () => {
  const silence = async (
    from: string,
    recursion: number | null,
    headers: readonly (readonly [string, string])[] = [],
  ) =>
    silenceOf(
      {
        mail: await parsedFrom({ headers: [['From', from], ...headers] }),
        returnPath: 'x@agents.localhost',
        recursion,
        isOfLogIn: false,
        isOwnAddress: (address) => address.endsWith('@agents.localhost'),
      },
      { lists: [], provenMember: true },
    );

  it('is a loop or a forgery without our signature', async () => {
    expect(await silence('ben@agents.localhost', null)).toBe('own_message');
  });

  it('travels between personas under our signature; that its hops are used up is no silence', async () => {
    const reply = [['Auto-Submitted', 'auto-replied']] as const;
    expect(await silence('ben@agents.localhost', 2, reply)).toBeNull();
    expect(await silence('ben@agents.localhost', 0, reply)).toBeNull();
  });

  it('lends its signature to nobody else', async () => {
    expect(await silence('mia@example.com', 2, [['Auto-Submitted', 'auto-replied']])).toBe('auto_submitted');
  });
});
