import { iso } from '../../lib/clock.ts';
import { type FactShape, listFacts } from '../mail/facts.ts';
import { oneMail } from '../mail/one-mail.ts';
import { personasOf } from '../mail/traffic.ts';
import type { QueryPorts } from '../ports.ts';
import type { ConsoleViewer } from '../viewer.ts';
import { seenOf } from './people.ts';

/** Of each kind and persona so many at most. */
const MOST = 1000;
const PAGE = 100;

interface MailOfPerson {
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly persona: string | null;
  readonly subject: string;
  readonly became: string;
  /** Null: it is not kept. */
  readonly text: string | null;
}

interface RunOfPerson {
  readonly persona: string;
  readonly began: string;
  readonly ended: string | null;
  readonly status: string;
  readonly cost_usd: number;
}

/** What is held of one person: mail from and to them, what is remembered of them and who said it, and the work for them. */
export interface PersonExport {
  readonly address: string;
  readonly mails: readonly MailOfPerson[];
  readonly facts: readonly FactShape[];
  readonly runs: readonly RunOfPerson[];
  readonly left_out: string;
  /** There is more than this. */
  readonly isCut: boolean;
}

const LEFT_OUT =
  'Mail, questions and runs of others in which they are only named. What is only named is theirs who wrote it.';

/** Throws `not_found` where nobody of that address has had to do with a persona of the viewer. It changes nothing. */
export async function exportOf(ports: QueryPorts, viewer: ConsoleViewer, given: string): Promise<PersonExport> {
  const { address, personas } = await seenOf(ports, viewer, given);
  const mails = await mailsOf(ports, viewer, address);
  const facts: FactShape[] = [];
  const runs: RunOfPerson[] = [];
  let isCut = mails.length >= MOST;
  for (const persona of personas) {
    const page = { persona, after: undefined, status: undefined, limit: MOST + 1 };
    const found = await listFacts(ports, page, { subject: address, all: true, now: ports.clock.now() });
    isCut ||= found.facts.length > MOST;
    facts.push(...found.facts.slice(0, MOST));
    if (!ports.stores.exists(persona)) continue;
    const own = await ports.stores.use(persona, (store) => store.listRuns({ sender: address, limit: MOST + 1 }));
    isCut ||= own.length > MOST;
    for (const { created_at, ended_at, status, cost_usd } of own.slice(0, MOST))
      runs.push({
        ...{ persona, began: iso(created_at), ended: ended_at === null ? null : iso(ended_at) },
        ...{ status, cost_usd },
      });
  }
  return { address, mails, facts, runs, left_out: LEFT_OUT, isCut };
}

async function mailsOf(ports: QueryPorts, viewer: ConsoleViewer, address: string): Promise<readonly MailOfPerson[]> {
  const found: MailOfPerson[] = [];
  let before: number | undefined;
  while (found.length < MOST) {
    const looked = { personas: personasOf(viewer, undefined), who: address, limit: PAGE, before };
    const { rows, before: next } = await ports.gateway.lookAtSeen(looked);
    for (const { id } of rows) {
      const one = await oneMail(ports, viewer, id);
      if (one === null || one.mail.who?.toLowerCase() !== address) continue;
      const { mail, text } = one;
      const { direction, persona, subject, fate } = mail;
      found.push({ at: iso(mail.at), direction, persona, subject, became: fate, text });
    }
    if (next === null) break;
    before = next;
  }
  return found;
}
