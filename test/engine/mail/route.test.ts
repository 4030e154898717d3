import { describe, expect, it } from 'vitest';
import { candidateAddresses } from '../../../engine/intake/identify.ts';

const to = (...addresses: string[]) => addresses.map((address) => ({ name: '', address }));

describe('whom a mail in a mailbox is for', () => {
  it('is what the server noted, then To and Cc, each once', () => {
    const mail = { deliveredTo: ['ada@example.com'], to: to('Ada@Example.com', 'ben@example.com'), cc: to('c@d.test') };
    expect(candidateAddresses(mail, null)).toEqual(['ada@example.com', 'ben@example.com', 'c@d.test']);
  });

  it('is the envelope and nothing else where there is one', () => {
    const mail = { deliveredTo: ['ada@example.com'], to: to('ben@example.com'), cc: [] };
    expect(candidateAddresses(mail, ['cleo@example.com'])).toEqual(['cleo@example.com']);
  });

  it.each([
    ['agents@example.com', 'agents@example.com'],
    ['Agents+tag@Example.com', 'agents@example.com'],
    ['agents@example.com', 'agents'],
  ])('without what %s says of the account %s, unless a person wrote it', (deliveredTo, account) => {
    const mail = { deliveredTo: [deliveredTo, 'ada@example.com'], to: to('ben@example.com'), cc: [] };
    expect(candidateAddresses(mail, null, { without: account })).toEqual(['ada@example.com', 'ben@example.com']);
    const written = { ...mail, cc: to('agents@example.com') };
    expect(candidateAddresses(written, null, { without: account })).toContain('agents@example.com');
  });
});
