import type { SMTPConnectionCustomAuthContext, SMTPConnectionCustomAuthResponse } from 'nodemailer/lib/smtp-connection';
import type { SmtpConfig } from '../../config/types.ts';

/**
 * Logs in with an access token: by XOAUTH2 where the server offers it, as the large providers do, else by OAUTHBEARER
 * (RFC 7628). One attempt: a token that was refused is renewed by whoever gave it, not here.
 */
export async function logInByToken(
  { authMethods, sendCommand }: Pick<SMTPConnectionCustomAuthContext, 'authMethods' | 'sendCommand'>,
  smtp: Pick<SmtpConfig, 'user' | 'host' | 'port'>,
  token: string,
): Promise<void> {
  const isOld = authMethods.includes('XOAUTH2');
  const [mechanism, initial] = isOld ? ['XOAUTH2', xoauth2(smtp, token)] : ['OAUTHBEARER', oauthBearer(smtp, token)];
  const first = await sendCommand(`AUTH ${mechanism} ${Buffer.from(initial).toString('base64')}`);
  // A refusal is told as JSON first, which has to be acknowledged: by nothing, and by \x01 in RFC 7628.
  const last: SMTPConnectionCustomAuthResponse =
    first.status === 334 ? await sendCommand(isOld ? '' : Buffer.from('\x01').toString('base64')) : first;
  if (last.status !== 235) throw new Error(last.response);
}

const xoauth2 = ({ user }: Pick<SmtpConfig, 'user'>, token: string): string =>
  `user=${user}\x01auth=Bearer ${token}\x01\x01`;

/** In the name, `,` and `=` are written as RFC 5801 says. */
const oauthBearer = ({ user, host, port }: Pick<SmtpConfig, 'user' | 'host' | 'port'>, token: string): string => {
  const name = user.replace(/[=,]/g, (sign) => (sign === '=' ? '=3D' : '=2C'));
  return `n,a=${name},\x01host=${host}\x01port=${port}\x01auth=Bearer ${token}\x01\x01`;
};
