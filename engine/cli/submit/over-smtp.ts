import { EngineError } from '#contract';
import { createSmtpTransport } from '../../delivery/smtp-transport.ts';
import { SUBMISSION_USER } from '../../gateway/smtp/listener.ts';
import { silentLog } from '../../lib/log/log.ts';
import { passwordLogin } from '../../mailbox/login/login.ts';
import { submissionSecret, type Workspace } from '../../workspace.ts';
import type { SubmittedMail } from './types.ts';

/** Hands the mail to the listener as any client would; the server's reply by recipient. Throws `not_running`. */
export async function overSmtp(
  workspace: Workspace,
  letter: SubmittedMail,
  listener: { host: string; port: number },
): Promise<ReadonlyMap<string, string>> {
  const auth = letter.asSubmission ? 'password' : 'none';
  const login = passwordLogin({ auth, secret_env: '' }, () => submissionSecret(workspace.dataDir, workspace.ids));
  const transport = createSmtpTransport({
    smtp: {
      host: reachable(listener.host),
      port: listener.port,
      tls: 'none',
      user: SUBMISSION_USER,
      auth,
      secret_env: '',
      tls_ca_file: null,
      allow_plaintext: true,
    },
    login,
    helo: 'localhost',
    log: silentLog,
  });
  try {
    const outcome = await transport.send({ from: letter.from, to: [...letter.to], raw: letter.raw });
    if (outcome.recipients.every(({ state }) => state === 'retry') && !/^[45]\d\d/.test(outcome.smtp)) {
      throw new EngineError('not_running', `the gateway could not be reached: ${outcome.smtp}`);
    }
    return new Map(outcome.recipients.map(({ address, smtp }) => [address, smtp]));
  } finally {
    await transport.close();
  }
}

/** Bound to every address, it is to be found on the nearest. */
const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);
