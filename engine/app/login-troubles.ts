import type { MailboxConfig, Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import type { Trouble } from '../mailbox/oauth/accounts.ts';
import { accountOf, clientOfMailbox } from '../mailbox/oauth/client.ts';
import { notice } from '../record/jobs/notice-job.ts';
import type { Worker } from './worker.ts';

/** One notice for each login that only a person can mend, and for each that was so when the gateway started. */
export function tellOfLogins(worker: Worker): void {
  const { logins, log } = worker.workspace;
  logins.onTrouble((trouble) => {
    const { fault } = trouble.judged;
    log.error(
      { account: trouble.client.user, code: fault.code, cause: fault.cause, cure: fault.cure },
      'a login is needed',
    );
    tell(worker, trouble).catch((error: unknown) =>
      log.error({ error: String(error) }, 'nobody could be told that a login is needed'),
    );
  });
}

async function tell({ workspace, announce }: Worker, trouble: Trouble): Promise<void> {
  const { clock, live } = workspace;
  const { client, judged, account, grantedAt } = trouble;
  const { mailboxes } = live.current().gateway;
  const ids = mailboxes.filter((one) => isOf(one, account)).map(({ id }) => id);
  const text = [
    `Since ${iso(clock.now()).slice(0, 16).replace('T', ' ')} UTC ${named(ids)} cannot log in: ${judged.fault.cause}.`,
    '',
    `What helps: ${judged.fault.cure}. Nothing is tried before that, and nothing is lost: mail that came and mail that is to`,
    'leave waits for it, however long it takes.',
  ].join('\n');
  await noticeTo({ workspace, announce }, account, {
    // The id is the purpose of the mail: of the same login and the same reason its owners hear once, over restarts, too.
    id: `notice:login:${account}:${grantedAt}:${judged.fault.code}`,
    subject: `A login is needed: ${client.user}`,
    text,
  });
}

const DAY_MS = 86_400_000;
const AHEAD_MS = 2 * DAY_MS;

/** Looked at once a day: a notice before a login ends of which the provider said when. */
export async function tellOfEnds({ workspace, announce }: Pick<Worker, 'workspace' | 'announce'>): Promise<void> {
  const { clock, live, logins } = workspace;
  for (const mailbox of live.current().gateway.mailboxes) {
    const state = logins.state(mailbox);
    const endsAt = state?.tokens?.refresh_ends_at ?? null;
    if (!state?.tokens || state.wrong || endsAt === null || endsAt - clock.now() > AHEAD_MS) continue;
    const { client, tokens } = state;
    const account = accountOf(client);
    await noticeTo({ workspace, announce }, account, {
      id: `notice:login_ends:${account}:${tokens.granted_at}`,
      subject: `A login ends soon: ${client.user}`,
      text: [
        `${client.name} ends the login of ${client.user} on ${iso(endsAt).slice(0, 16).replace('T', ' ')} UTC.`,
        '',
        `Before then: \`epistle mailbox login ${mailbox.id}\`.`,
        ...(client.preset === 'google'
          ? ['', 'It does so after seven days while the app is in "Testing". "In production", the login stays.']
          : []),
      ].join('\n'),
    });
  }
}

const isOf = (mailbox: MailboxConfig, account: string): boolean => {
  const client = clientOfMailbox(mailbox);
  return client !== null && accountOf(client) === account;
};

const named = (ids: readonly string[]): string =>
  ids.length === 1 ? `the mailbox ${ids[0]}` : `the mailboxes ${ids.join(', ')}`;

async function noticeTo(
  { workspace, announce }: Pick<Worker, 'workspace' | 'announce'>,
  account: string,
  { id, subject, text }: { readonly id: string; readonly subject: string; readonly text: string },
): Promise<void> {
  const { stores, clock } = workspace;
  const persona = messenger(workspace, account);
  if (!persona) return;
  const now = clock.now();
  const job = notice.job({ id, due_at: now, payload: { subject, text } });
  await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
}

/**
 * Who tells: a persona whose own mail leaves by another account, so that it leaves now. Where there is none, one that
 * waits for this login itself; the log, `status` and `doctor` tell it at once.
 */
function messenger({ live }: Worker['workspace'], account: string): Persona | null {
  const sends = live.current().gateway.mailboxes.filter(({ smtp }) => smtp !== undefined);
  const wayOf = ({ mailbox }: Persona) => (mailbox === null ? sends[0] : sends.find(({ id }) => id === mailbox));
  const personas = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const isFree = (persona: Persona) => {
    const way = wayOf(persona);
    return way === undefined || way.smtp?.auth !== 'oauth' || !isOf(way, account);
  };
  const ours = personas.filter(({ owners }) => owners.some((owner) => live.current().security.owners.includes(owner)));
  return ours.find(isFree) ?? personas.find(isFree) ?? ours[0] ?? personas[0] ?? null;
}
