import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { imapSchema, smtpSchema } from '../../../../engine/config/mailbox-schema.ts';
import type { ImapConfig, SmtpConfig } from '../../../../engine/config/types.ts';
import type { FaultCode } from '../../../../engine/mailbox/faults/fault.ts';
import { type Net, systemNet } from '../../../../engine/mailbox/peer/net.ts';
import { type Probed, probe } from '../../../../engine/queries/gateway/probe.ts';
import { type Issued, makeAuthority } from '../../../fakes/certificates.ts';
import { type PeerScript, startMailPeer } from '../../../fakes/mail-peer.ts';
import { withSecret } from '../../../fakes/secret.ts';

const DAY_MS = 86_400_000;
const SECRET = 'correct horse battery';

const authority = makeAuthority();
const other = makeAuthority();
const good = authority.issue(['localhost', '127.0.0.1']);
const certificates: Record<string, Issued> = {
  good,
  ofOthers: authority.issue(['mail.hoster.test', '*.hoster.test']),
  expired: authority.issue(['localhost'], { from: Date.now() - 90 * DAY_MS, to: Date.now() - DAY_MS }),
  early: authority.issue(['localhost'], { from: Date.now() + DAY_MS }),
  unknown: other.issue(['localhost']),
  self: authority.selfSigned('localhost'),
};
const inFolder = (name: string, text: string) => {
  const path = join(dirname(authority.caFile), name);
  writeFileSync(path, text);
  return path;
};

type Change = Partial<ImapConfig> & Partial<SmtpConfig>;

interface Case {
  readonly what: string;
  readonly code: FaultCode;
  /** What the server does; null: nothing listens. */
  readonly peer: Partial<PeerScript> | null;
  readonly change?: Change;
  readonly side?: 'imap' | 'smtp';
  readonly secret?: string | undefined;
  readonly net?: Partial<Net>;
  /** In cause and cure. */
  readonly says: RegExp;
  readonly kind?: Probed['kind'];
}

const rejecting = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const addresses =
  (...families: readonly number[]) =>
  async () =>
    families.map((family) => ({ family, address: family === 6 ? '::1' : '127.0.0.1' }));
const failing =
  (code: string): Net['connect'] =>
  (host, port) => {
    const socket = connect({ host: '127.0.0.1', port: 1, lookup: () => {} });
    queueMicrotask(() => socket.destroy(Object.assign(new Error(`${code} ${host}:${port}`), { code })));
    return socket;
  };

const implicit = { tls: 'implicit', certificate: good } as const;
const onTls = (answers: PeerScript['answers']) => ({ ...implicit, answers });
const no = (text: string) => onTls({ LOGIN: `NO ${text}`, AUTHENTICATE: `NO ${text}` });
const smtpNo = (text: string) => onTls({ AUTH: text });

const CASES: readonly Case[] = [
  {
    what: 'a name that is not there',
    code: 'name_not_found',
    peer: null,
    net: { addressesOf: rejecting('ENOTFOUND') },
    says: /imap\.host/,
  },
  {
    what: 'a name server that is silent',
    code: 'name_server_silent',
    peer: null,
    net: { addressesOf: rejecting('EAI_AGAIN') },
    says: /network/,
  },
  { what: 'nothing that listens', code: 'refused', peer: null, says: /nothing listens.*imap\.port.*993/s },
  {
    what: 'a network without a way',
    code: 'unreachable',
    peer: null,
    net: { connect: failing('EHOSTUNREACH') },
    says: /firewall/,
  },
  {
    what: 'IPv6 alone',
    code: 'ipv6_only',
    peer: null,
    net: { addressesOf: addresses(6), connect: failing('ENETUNREACH') },
    says: /only IPv6/,
  },
  {
    what: 'a firewall that swallows',
    code: 'timed_out',
    side: 'smtp',
    peer: null,
    net: { connect: failing('ETIMEDOUT') },
    says: /smtp\.port.*hosting companies/s,
  },
  { what: 'a server that says nothing', code: 'silent', peer: { tls: 'none', greeting: null }, says: /says nothing/ },
  {
    what: 'a server that hangs up',
    code: 'hung_up',
    peer: { tls: 'none', greeting: 'drop' },
    says: /ends the connection/,
  },
  {
    what: 'a server behind a balancer',
    code: 'proxy_line_expected',
    peer: { tls: 'none', proxy: true },
    change: { tls: 'none' },
    says: /line of a proxy/,
  },
  {
    what: 'TLS at once on a port for STARTTLS',
    code: 'tls_not_spoken',
    peer: { tls: 'starttls', certificate: good },
    says: /imap\.tls to "starttls".*993/s,
  },
  {
    what: 'STARTTLS on a port for TLS at once',
    code: 'tls_spoken_at_once',
    peer: implicit,
    change: { tls: 'starttls' },
    says: /imap\.tls to "implicit"/,
  },
  {
    what: 'the same of SMTP',
    code: 'tls_spoken_at_once',
    side: 'smtp',
    peer: implicit,
    change: { tls: 'starttls' },
    says: /smtp\.tls to "implicit"/,
  },
  {
    what: 'no STARTTLS',
    code: 'starttls_missing',
    side: 'smtp',
    peer: { tls: 'none' },
    change: { tls: 'starttls' },
    says: /does not offer STARTTLS.*465/s,
  },
  {
    what: 'no STARTTLS over IMAP',
    code: 'starttls_missing',
    peer: { tls: 'none' },
    change: { tls: 'starttls' },
    says: /does not offer STARTTLS.*993/s,
  },
  {
    what: 'STARTTLS that is refused',
    code: 'starttls_refused',
    side: 'smtp',
    peer: { tls: 'starttls', certificate: good, answers: { STAR: '454 4.7.0 TLS not available' } },
    change: { tls: 'starttls' },
    says: /454 4\.7\.0/,
  },
  {
    what: 'SMTP where IMAP should be',
    code: 'smtp_on_imap_port',
    peer: { tls: 'none', protocol: 'smtp' },
    change: { tls: 'starttls' },
    says: /is an SMTP server/,
  },
  {
    what: 'IMAP where SMTP should be',
    code: 'imap_on_smtp_port',
    side: 'smtp',
    peer: { ...implicit, protocol: 'imap' },
    says: /is an IMAP server/,
  },
  {
    what: 'POP3 where IMAP should be',
    code: 'pop3_port',
    peer: { ...implicit, greeting: '+OK Dovecot ready.' },
    says: /993/,
  },
  {
    what: 'a web server',
    code: 'http_port',
    peer: { tls: 'none', greeting: 'HTTP/1.1 400 Bad Request' },
    says: /web server/,
  },
  { what: 'SSH', code: 'other_service', peer: { tls: 'none', greeting: 'SSH-2.0-OpenSSH_9.2p1' }, says: /SSH-2\.0/ },
  {
    what: 'a full server',
    code: 'server_busy',
    peer: { ...implicit, greeting: '* BYE Too many connections' },
    says: /Too many connections/,
  },
  {
    what: 'a full server of SMTP',
    code: 'server_busy',
    side: 'smtp',
    peer: { ...implicit, greeting: '421 4.3.2 try again' },
    says: /421 4\.3\.2/,
  },
  {
    what: 'an address on a blocklist',
    code: 'address_blocked',
    side: 'smtp',
    peer: { ...implicit, greeting: '554 5.7.1 blocked using list.test' },
    says: /list\.test.*587/s,
  },
  {
    what: 'a certificate of its own',
    code: 'certificate_self_signed',
    peer: { ...implicit, certificate: certificates.self },
    change: { tls_ca_file: null },
    says: /imap\.tls_ca_file/,
  },
  {
    what: 'a private authority',
    code: 'certificate_unknown_ca',
    peer: implicit,
    change: { tls_ca_file: null },
    says: /imap\.tls_ca_file/,
  },
  {
    what: 'another authority than that of the file',
    code: 'certificate_not_of_ca_file',
    peer: { ...implicit, certificate: certificates.unknown },
    says: /ca\.pem/,
  },
  {
    what: 'an expired certificate',
    code: 'certificate_expired',
    peer: { ...implicit, certificate: certificates.expired },
    says: /ended on 20\d\d-\d\d-\d\d.*clock/s,
  },
  {
    what: 'a certificate of tomorrow',
    code: 'certificate_not_yet_valid',
    side: 'smtp',
    peer: { ...implicit, certificate: certificates.early },
    says: /clock/,
  },
  {
    what: 'a certificate of another name',
    code: 'certificate_other_name',
    peer: { ...implicit, certificate: certificates.ofOthers },
    says: /imap\.host to mail\.hoster\.test/,
  },
  {
    what: 'the same after STARTTLS',
    code: 'certificate_other_name',
    side: 'smtp',
    peer: { tls: 'starttls', certificate: certificates.ofOthers },
    change: { tls: 'starttls' },
    says: /smtp\.host to mail\.hoster\.test/,
  },
  { what: 'TLS of 2006', code: 'tls_too_old', peer: { ...implicit, alert: 70 }, says: /TLS 1\.2/ },
  {
    what: 'TLS that is broken',
    code: 'tls_failed',
    side: 'smtp',
    peer: { ...implicit, alert: 40 },
    says: /HANDSHAKE_FAILURE/,
  },
  {
    what: 'a certificate that the client lacks',
    code: 'client_certificate_wanted',
    peer: { ...implicit, alert: 116 },
    says: /of the client/,
  },
  {
    what: 'a file of an authority that is not there',
    code: 'ca_file_missing',
    peer: implicit,
    change: { tls_ca_file: '/nope/ca.pem' },
    says: /\/nope\/ca\.pem.*relative to the workspace/s,
  },
  {
    what: 'a file of an authority that is none',
    code: 'ca_file_unusable',
    peer: implicit,
    change: { tls_ca_file: inFolder('key.txt', 'DER?') },
    says: /PEM/,
  },
  {
    what: 'no secret',
    code: 'secret_missing',
    peer: implicit,
    secret: undefined,
    says: /MAILBOX_SECRET=… into \.env/,
    kind: 'auth',
  },
  {
    what: 'a wrong password',
    code: 'wrong_password',
    peer: no('[AUTHENTICATIONFAILED] Authentication failed.'),
    says: /MAILBOX_SECRET in \.env/,
    kind: 'auth',
  },
  {
    what: 'a wrong password over SMTP',
    code: 'wrong_password',
    side: 'smtp',
    peer: smtpNo('535 5.7.8 Error: authentication failed: (reason unavailable)'),
    says: /app password/,
    kind: 'auth',
  },
  {
    what: 'a user who is no address',
    code: 'wrong_password',
    peer: no('LOGIN failed'),
    change: { user: 'ada' },
    says: /whole address as imap\.user/,
  },
  {
    what: 'two-step login',
    code: 'app_password_needed',
    peer: no(
      '[ALERT] Application-specific password required: https://support.google.com/accounts/answer/185833 (Failure)',
    ),
    says: /made for this program/,
    kind: 'auth',
  },
  {
    what: 'two-step login over SMTP',
    code: 'app_password_needed',
    side: 'smtp',
    peer: smtpNo('534 5.7.9 Application-specific password required.'),
    says: /app password/,
  },
  {
    what: 'a login from a new place',
    code: 'web_login_needed',
    peer: no('[WEBALERT https://accounts.google.com/signin/continue] Web login required.'),
    says: /by web browser/,
  },
  {
    what: 'IMAP that is off',
    code: 'imap_off',
    peer: no('[ALERT] Your account is not enabled for IMAP use. Please visit your Gmail settings page.'),
    says: /switch IMAP on/,
    kind: 'auth',
  },
  {
    what: 'IMAP that is off elsewhere',
    code: 'imap_off',
    peer: no('[ALERT] You are yet to enable IMAP for your account. Please contact your administrator'),
    says: /switch IMAP on/,
  },
  {
    what: 'SMTP logins that are off',
    code: 'smtp_auth_off',
    side: 'smtp',
    peer: smtpNo('535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.'),
    says: /administrator/,
  },
  {
    what: 'passwords that are off',
    code: 'oauth_needed',
    side: 'smtp',
    peer: smtpNo('535 5.7.139 Authentication unsuccessful, basic authentication is disabled.'),
    says: /xoauth2/,
  },
  {
    what: 'only OAuth',
    code: 'oauth_needed',
    side: 'smtp',
    peer: { ...implicit, capabilities: ['AUTH XOAUTH2'] },
    says: /xoauth2/,
  },
  {
    what: 'OAuth that is not there',
    code: 'oauth_not_offered',
    peer: { ...implicit, capabilities: ['AUTH=PLAIN'] },
    change: { auth: 'xoauth2' },
    says: /"password"/,
  },
  {
    what: 'a token that is over',
    code: 'token_refused',
    peer: {
      ...implicit,
      capabilities: ['AUTH=XOAUTH2', 'SASL-IR'],
      answers: { AUTHENTICATE: 'NO [AUTHENTICATIONFAILED] AccessTokenExpired' },
    },
    change: { auth: 'xoauth2' },
    says: /access token.*expired/s,
    kind: 'auth',
  },
  {
    what: 'a new token of another account',
    code: 'token_refused',
    peer: {
      ...implicit,
      capabilities: ['AUTH=OAUTHBEARER', 'SASL-IR'],
      answers: { AUTHENTICATE: 'NO [AUTHENTICATIONFAILED] Authentication failed.' },
    },
    change: { auth: 'oauth', host: 'localhost' },
    says: /although it is new.*log in as ada@example.test.*epistle mailbox login/s,
    kind: 'auth',
  },
  {
    what: 'a token where none is taken',
    code: 'oauth_not_offered',
    side: 'smtp',
    peer: { ...implicit, capabilities: ['AUTH PLAIN LOGIN'] },
    change: { auth: 'oauth' },
    says: /"password"/,
  },
  {
    what: 'a token that is over, over SMTP',
    code: 'token_refused',
    side: 'smtp',
    peer: smtpNo('535 5.7.8 invalid token'),
    change: { auth: 'xoauth2' },
    says: /access token/,
  },
  { what: 'an expired password', code: 'password_expired', peer: no('[EXPIRED] Password expired.'), says: /new one/ },
  {
    what: 'no logins at all',
    code: 'auth_not_offered',
    side: 'smtp',
    peer: { ...implicit, capabilities: ['SIZE 1000'] },
    says: /587 or 465/,
  },
  {
    what: 'a login in the clear',
    code: 'login_in_clear_refused',
    peer: { tls: 'none', capabilities: ['STARTTLS', 'LOGINDISABLED'] },
    change: { tls: 'none' },
    says: /without TLS/,
  },
  {
    what: 'too many tries',
    code: 'login_throttled',
    peer: no('[LIMIT] Too many login attempts'),
    says: /quarter of an hour/,
  },
  {
    what: 'too many connections',
    code: 'too_many_connections',
    peer: no('[UNAVAILABLE] Maximum number of connections from user+IP exceeded'),
    says: /other mail programs/,
  },
  {
    what: 'a locked account',
    code: 'account_locked',
    side: 'smtp',
    peer: smtpNo('535 5.7.1 Your account has been suspended'),
    says: /is locked/,
    kind: 'auth',
  },
  {
    what: 'a login server that is down',
    code: 'login_server_down',
    peer: no('[UNAVAILABLE] Temporary authentication failure.'),
    says: /tried again/,
    kind: 'network',
  },
  {
    what: 'the same of SMTP',
    code: 'login_server_down',
    side: 'smtp',
    peer: smtpNo('454 4.7.0 Temporary authentication failure: Connection lost'),
    says: /tried again/,
  },
  {
    what: 'an account without a mailbox',
    code: 'no_licence',
    peer: no('User is authenticated but not connected.'),
    says: /licence/,
  },
  {
    what: 'a login that is never answered',
    code: 'login_unanswered',
    peer: onTls({ LOGIN: null }),
    says: /later and later/,
  },
  {
    what: 'a folder that is not there',
    code: 'folder_missing',
    peer: onTls({ SELECT: 'NO [NONEXISTENT] Unknown mailbox' }),
    says: /no folder INBOX/,
    kind: 'folder',
  },
  {
    what: 'a folder of somebody else',
    code: 'folder_forbidden',
    peer: onTls({ SELECT: 'NO [NOPERM] Permission denied' }),
    says: /may not open/,
  },
  {
    what: 'a folder that is broken',
    code: 'folder_refused',
    peer: onTls({ SELECT: 'NO [SERVERBUG] index broken' }),
    says: /index broken/,
  },
  {
    what: 'a folder to move to that is not there',
    code: 'move_target_missing',
    peer: implicit,
    change: { processed: 'move:Done' },
    says: /no folder Done/,
    kind: 'folder',
  },
  {
    what: 'a mailbox without room',
    code: 'quota_full',
    peer: { ...implicit, capabilities: ['IDLE', 'QUOTA'], full: true },
    says: /is full/,
  },
  {
    what: 'words that nobody knows',
    code: 'unknown',
    peer: no('[XYZZY] the moon is wrong'),
    says: /the moon is wrong/,
  },
];

const settings = (one: Case, port: number) => {
  const side = one.side ?? 'imap';
  const shared = {
    host: 'localhost',
    port,
    tls: 'implicit',
    user: 'ada@example.test',
    secret_env: 'MAILBOX_SECRET',
    allow_plaintext: true,
  };
  const config = { ...shared, tls_ca_file: authority.caFile, ...one.change };
  return side === 'imap' ? { imap: imapSchema.parse(config) } : { smtp: smtpSchema.parse(config) };
};

afterAll(() => {
  authority.remove();
  other.remove();
});

describe('a mailbox that cannot be used', () => {
  it.concurrent.each(CASES)('$what: $code', async (one) => {
    const { side = 'imap' } = one;
    const peer = one.peer && (await startMailPeer({ protocol: side, tls: 'implicit', ...one.peer }));
    const options = {
      loginOf: () => withSecret(() => ('secret' in one ? one.secret : SECRET), 'MAILBOX_SECRET'),
      helo: 'client.test',
      ms: 1500,
      keepsDrafts: false,
      net: { ...systemNet, ...one.net },
    };
    const probed = await probe({ id: 'main', save_sent: true, ...settings(one, peer?.port ?? 1) }, options);
    await peer?.stop();
    const found = probed[side];
    expect([found?.ok, found?.code]).toEqual([false, one.code]);
    expect(`${found?.message} | ${found?.cure}`).toMatch(one.says);
    if (one.kind !== undefined) expect(found?.kind).toBe(one.kind);
    // Nothing is told to a server of which the look says that it cannot be the right one.
    const before =
      !/^(wrong|app_|web|imap_off|smtp_auth|oauth_needed|token|password|login|too_many|account|no_lic|folder|move|quota|unknown)/.test(
        one.code,
      );
    if (before) expect(peer?.heard.join('\n') ?? '').not.toMatch(/LOGIN |AUTH|ada@/);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  it('is told apart in at least forty ways', () => {
    expect(new Set(CASES.map(({ code }) => code)).size).toBeGreaterThanOrEqual(40);
  });
});

describe('a mailbox that works', () => {
  it('is said to be nearly full, where it is', async () => {
    const told = async (full: number) => {
      const peer = await startMailPeer({ protocol: 'imap', ...implicit, capabilities: ['IDLE', 'QUOTA'], full });
      const one = settings({ what: '', code: 'unknown', peer: null, says: /./ }, peer.port);
      const options = { loginOf: () => withSecret(() => SECRET), helo: 'client.test', ms: 3000, keepsDrafts: false };
      const { imap } = await probe({ id: 'main', save_sent: true, ...one }, options);
      await peer.stop();
      return imap?.warnings.map(({ code, cause }) => `${code}: ${cause}`);
    };
    expect(await told(0.89)).toEqual([]);
    expect(await told(0.93)).toEqual(['quota_near: the mailbox of ada@example.test is 93 % full']);
  });

  it('is said to lack IDLE and a folder for sent mail, where it does', async () => {
    const peer = await startMailPeer({ protocol: 'imap', ...implicit, capabilities: [], folders: [] });
    const mailbox = {
      id: 'main',
      save_sent: true,
      ...settings({ what: '', code: 'unknown', peer: null, says: /./ }, peer.port),
    };
    const options = { loginOf: () => withSecret(() => SECRET), helo: 'client.test', ms: 3000, keepsDrafts: false };
    const { imap } = await probe(mailbox, options);
    expect(imap).toMatchObject({
      ok: true,
      kind: null,
      code: null,
      message: '2 messages in INBOX, no IDLE, so it is polled',
    });
    expect(imap?.warnings.map(({ code }) => code)).toEqual(['no_idle', 'no_sent']);
    expect((await probe({ ...mailbox, save_sent: false }, options)).imap?.warnings.map(({ code }) => code)).toEqual([
      'no_idle',
    ]);
    expect((await probe(mailbox, { ...options, keepsDrafts: true })).imap).toMatchObject({
      ok: false,
      code: 'no_drafts',
      kind: 'folder',
    });
    await peer.stop();
  });
});
