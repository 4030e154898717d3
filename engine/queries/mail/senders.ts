import { iso } from '../../lib/clock.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import { personaNamed } from '../find-across.ts';
import type { QueryPorts } from '../ports.ts';

/** Somebody whose mail was refused, for one persona. */
interface RefusedSender {
  readonly from: string | null;
  readonly persona: string | null;
  readonly mails: number;
  /** Why, each once. */
  readonly codes: readonly string[];
  /** Whether it is certain that they wrote it: of all, of none or of some; null where nobody looked. */
  readonly proven: 'yes' | 'no' | 'some' | null;
  /** Of the newest. */
  readonly subject: string;
  readonly last_at: string;
}

/** So many of the newest refusals are looked at. */
const LOOKED_AT = 1000;

/** Whose mail was refused, those of the newest refusals first. Throws `not_found` for a persona that there is not. */
export async function refusedSenders(
  ports: QueryPorts,
  wanted: { readonly persona: string | undefined; readonly since: number | undefined },
): Promise<readonly RefusedSender[]> {
  const persona = wanted.persona === undefined ? undefined : personaNamed(ports, wanted.persona).id;
  const rows = await ports.gateway.listReceived({
    limit: LOOKED_AT,
    decision: 'refused',
    persona,
    since: wanted.since,
  });
  return bySender(rows);
}

/** Pure. `rows`: newest first. */
function bySender(rows: readonly SeenMail[]): readonly RefusedSender[] {
  const groups = Map.groupBy(rows, ({ from_address: from, persona_id: persona }) => JSON.stringify([from, persona]));
  return [...groups.values()].flatMap((mails) => {
    const [newest] = mails;
    if (!newest) return [];
    return {
      from: newest.from_address,
      persona: newest.persona_id,
      mails: mails.length,
      codes: [...new Set(mails.flatMap(({ code }) => (code === null ? [] : [code])))],
      proven: provenIn(mails),
      subject: newest.subject,
      last_at: iso(newest.received_at),
    };
  });
}

/** The code tells: who is denied by name is refused before anybody looks for a proof. */
function provenIn(mails: readonly SeenMail[]): RefusedSender['proven'] {
  const codes = mails.map(({ code }) => code);
  const [isProven, isUnproven] = [codes.includes('sender_not_allowed'), codes.includes('auth_failed')];
  if (isProven && isUnproven) return 'some';
  return isProven ? 'yes' : isUnproven ? 'no' : null;
}

/** Refused mail of exactly that sender, oldest first: what waits for nothing but leave to write, and what stays refused. */
export async function refusedMailOf(
  ports: QueryPorts,
  from: string,
  personas: readonly string[],
): Promise<{ readonly waiting: readonly SeenMail[]; readonly unproven: readonly SeenMail[] }> {
  const rows = (await ports.gateway.listReceived({ limit: LOOKED_AT, decision: 'refused', from }))
    .filter(
      ({ from_address: address, persona_id: persona }) =>
        address?.toLowerCase() === from.toLowerCase() && persona !== null && personas.includes(persona),
    )
    .toReversed();
  return {
    waiting: rows.filter(({ code }) => code === 'sender_not_allowed'),
    unproven: rows.filter(({ code }) => code === 'auth_failed'),
  };
}
