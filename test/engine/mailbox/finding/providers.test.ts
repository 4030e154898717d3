import { describe, expect, it } from 'vitest';
import { isPublicName } from '../../../../engine/mailbox/finding/autoconfig.ts';
import { byDomain } from '../../../../engine/mailbox/finding/known.ts';
import { PROVIDERS } from '../../../../engine/mailbox/finding/providers.ts';
import { readPage, tableUnder } from '../../../docs/markdown.ts';

const LOGIN = { password: 'password', app_password: 'app password', oauth: 'OAuth only' };
const placeOf = ({ host, port, tls }: { host: string; port: number; tls: string }) => `\`${host}\` ${port} ${tls}`;

describe('the table of providers', () => {
  it('stands in the guide', () => {
    const rows = PROVIDERS.map(({ name, imap, smtp, login, filesSent }) => [
      ...[name, placeOf(imap), placeOf(smtp), LOGIN[login], filesSent ? 'yes' : 'no'],
    ]);
    expect(tableUnder(readPage('docs/mailbox.md'), 'Finding the servers')).toEqual(rows);
  });

  it('has a server with TLS on both sides of each, and domains that are told apart', () => {
    for (const { id, domains, imap, smtp } of PROVIDERS) {
      for (const { host, tls } of [imap, smtp]) {
        expect([id, host === '127.0.0.1' || isPublicName(host), tls === 'none']).toEqual([id, true, false]);
      }
      for (const domain of domains) expect(byDomain(domain.replace('*', 'de'))?.id).toBe(id);
    }
    expect(new Set(PROVIDERS.map(({ id }) => id)).size).toBe(PROVIDERS.length);
  });
});
