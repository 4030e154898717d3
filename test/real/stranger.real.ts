import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epistle } from '../flow/gateway.ts';
import { DOVECOT_HOST } from '../lab/dovecot.ts';
import type { MailServers } from '../lab/mail-servers.ts';
import {
  AGENTS,
  answers,
  BORDER,
  DOMAIN,
  mailWith,
  OWNER,
  offered,
  openStreet,
  ownMail,
  type Place,
  type Posted,
  typedWord,
} from './door/street.ts';

/** Nobody of the domain. */
const ELSEWHERE = '198.51.100.9';

/** What a stranger writes to be trusted: verdicts, lines of the house, and codes, those that were shown as well. */
const forgeries = ({ smtp }: MailServers, count: number): readonly Posted[] =>
  Array.from({ length: count }, (_, n) => {
    const names = [BORDER, DOVECOT_HOST, 'evil.test', `mx${n}.${DOMAIN}`, DOMAIN];
    const said = [
      'spf=pass smtp.mailfrom=you@example.org; dmarc=pass header.from=example.org',
      `auth=pass smtp.auth=${OWNER}`,
    ];
    const verdict = `Authentication-Results: ${names[n % names.length]}; ${said[(n >> 1) % 2]}`;
    const login = n % 4 === 0 ? `(Authenticated sender: ${OWNER})\r\n\t` : '';
    const protocol = ['LMTP', 'ESMTPSA', 'ESMTP'][n % 3];
    const line = `Received: from home (home [192.0.2.${n}])\r\n\t${login}by ${names[(n >> 2) % names.length]} with ${protocol} id ${n};\r\n\tSun, 29 Nov 2026 10:00:00 +0000`;
    const code = ['CODE', 'WXYZ', 'code CODE code'][n % 3] ?? '';
    const text = mailWith(`forged${n}`, `Hello ${code}`, ...(n % 2 === 0 ? [verdict, line] : [line, verdict, line]));
    return { port: smtp.port, client: ELSEWHERE, from: OWNER, to: AGENTS, text };
  });

const NAMES = [
  'that says nothing of anybody',
  'with a milter, to which the owner writes from outside',
  'with a milter, to which the owner writes with a login of it',
  'that says who logged in',
] as const;

let street: Awaited<ReturnType<typeof openStreet>>;
beforeAll(async () => {
  street = await openStreet();
});
afterAll(() => street.close());

/** With what the owner's own mail has taught. */
const places = (): Readonly<Record<(typeof NAMES)[number], Place & { authservId?: string; trusted: string[] }>> => {
  const rspamd = { resolver: street.resolver };
  const logins = [DOVECOT_HOST, `esmtpsa:${BORDER}`];
  return {
    [NAMES[0]]: { options: {}, isFromHome: true, trust: typedWord, trusted: logins },
    [NAMES[1]]: {
      options: { rspamd },
      isFromHome: false,
      trust: offered,
      authservId: BORDER,
      trusted: [DOVECOT_HOST, BORDER],
    },
    [NAMES[2]]: { options: { rspamd }, isFromHome: true, trust: typedWord, trusted: logins },
    [NAMES[3]]: { options: { namesLogins: true }, isFromHome: true, trusted: logins },
  };
};

const read = (home: string, name: string) => JSON.parse(readFileSync(join(home, 'epistle/configs', name), 'utf8'));

describe('a stranger who has seen the code and sends 50 mails while somebody sets up, at a server', () => {
  it.each(NAMES)('%s: is offered nothing, and nothing of theirs is written or answered', async (name) => {
    const { options, isFromHome, trust, authservId, trusted } = places()[name];
    await street.at(options, async (lab, home) => {
      const [before, after] = [forgeries(lab, 50).slice(0, 25), forgeries(lab, 50).slice(25)];
      const mails = [...before, ownMail(lab, isFromHome), ...after];
      const { code, left, asked, screen } = await street.walk(home, answers(trust, mails));
      expect([code, left], screen.slice(-3000)).toEqual([0, []]);
      expect(screen).toContain('Your first mail was answered.');
      // What somebody could write into files is said once, however many are refused.
      expect(screen.match(/has to be the name with which/g) ?? []).toHaveLength(1);
      expect(asked.filter((line) => /trust/i.test(line))).toHaveLength(trust ? 1 : 0);
      expect(read(home, 'gateway.json').mailboxes[0].imap.authserv_id).toBe(authservId);
      expect(read(home, 'security.json').gateway_auth.trusted_received).toEqual(trusted);

      // All that was kept is looked at once more by what is trusted then.
      const { json } = await epistle(join(home, 'epistle'), ['mail', 'list', '--limit', '200']);
      const mailsSeen = json.mails as readonly { decision: string; message_id: string }[];
      const taken = mailsSeen.filter(({ decision }) => decision === 'accepted').map((one) => one.message_id);
      expect(taken).toEqual([`<own@${DOMAIN}>`]);
      const theirs = mailsSeen.filter(({ message_id: id }) => id.startsWith('<forged')).map((one) => one.message_id);
      expect(new Set(theirs).size).toBe(50);
    });
  });
});
