import type { RefusedSender } from '#contract';
import type { Persona, SecurityConfig } from '../../config/types.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { saidOfItself } from '../../mail/said-of-itself.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';

/** Whose mail was refused for one persona, the newest first, with what that mail says of itself. */
export interface RefusedOne {
  readonly from: string | null;
  /** By which they call themselves in their newest mail that is kept and has one; empty: in none. */
  readonly name: string;
  /** The owner or member whose name that is, where it is not their own address. */
  readonly namesake: string | null;
  /** Something of theirs is written as an answer, and the persona has never written to them. */
  readonly isAnswer: boolean;
  readonly newest: SeenMail;
  readonly mails: number;
}

export interface RefusedDeps {
  readonly gateway: Pick<GatewayStore, 'listReceived' | 'keptRefusal' | 'seenOfPerson'>;
  readonly store: Pick<Store, 'nameOfSender'>;
  readonly persona: Pick<Persona, 'id' | 'owners' | 'access'>;
  readonly access: Pick<SecurityConfig['gateway_access'], 'allow'>;
}

/** So many of the newest refusals are looked at, and so many mails of each sender. */
const LOOKED_AT = 200;
const MOST_OF_ONE = 5;
const MOST_NAMES = 50;

/** `from`: of that sender alone; `limit`: so many senders at most. */
export async function refusedOnes(
  deps: RefusedDeps,
  wanted: { readonly since?: number | undefined; readonly from?: string | undefined; readonly limit: number },
): Promise<{ readonly senders: readonly RefusedOne[]; readonly more: boolean }> {
  const { gateway, persona } = deps;
  const { from, since } = wanted;
  const rows = await gateway.listReceived({ limit: LOOKED_AT, decision: 'refused', persona: persona.id, from, since });
  const own = rows.filter((row) => from === undefined || keyOf(row) === addressKey(from));
  const groups = [...Map.groupBy(own, keyOf).values()];
  const names = await namesHere(deps);
  const senders = await Promise.all(groups.slice(0, wanted.limit).map((mails) => oneOf(deps, mails, names)));
  return { senders: senders.flat(), more: groups.length > wanted.limit || rows.length === LOOKED_AT };
}

const keyOf = ({ from_address: from }: Pick<SeenMail, 'from_address'>): string | null => from && addressKey(from);

async function oneOf(
  { gateway, persona }: RefusedDeps,
  mails: readonly SeenMail[],
  names: ReadonlyMap<string, string>,
): Promise<readonly RefusedOne[]> {
  const [newest] = mails;
  if (newest === undefined) return [];
  const { from_address: from } = newest;
  const said = await Promise.all(
    mails.slice(0, MOST_OF_ONE).map(async ({ kept_sha256: sha256 }) => {
      const kept = sha256 === null ? undefined : await gateway.keptRefusal(sha256);
      return kept === undefined ? { name: '', isAnswer: false } : saidOfItself(kept.raw);
    }),
  );
  const others = said.flatMap(({ name }) => names.get(folded(name)) ?? []).filter((one) => one !== keyOf(newest));
  const isAnswer = said.some((one) => one.isAnswer) && from !== null;
  const written = isAnswer ? await gateway.seenOfPerson(from, [persona.id]) : [];
  const called = said.find(({ name }) => (others.length > 0 ? names.get(folded(name)) === others[0] : name !== ''));
  return [
    {
      from,
      name: called?.name ?? '',
      namesake: others[0] ?? null,
      isAnswer: isAnswer && !written.some(({ direction }) => direction === 'out'),
      newest,
      mails: mails.length,
    },
  ];
}

/** Addresses of owners and members by the names under which they have written, folded. */
async function namesHere({ store, persona, access }: RefusedDeps): Promise<ReadonlyMap<string, string>> {
  const known = [...persona.owners, ...persona.access.allow, ...access.allow];
  const addresses = [...new Set(known.flatMap((one) => (one.includes('*') ? [] : (addressKey(one) ?? []))))];
  const named = await Promise.all(
    addresses
      .slice(0, MOST_NAMES)
      .map(async (address) => [folded(await store.nameOfSender(address)), address] as const),
  );
  // The first of two that are called the same is an owner, if one is.
  return new Map(named.filter(([name]) => name !== '').toReversed());
}

const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
    .toLowerCase();

const WHY: Readonly<Record<string, string>> = {
  sender_not_allowed: 'nobody has let this address in',
  auth_failed: 'nothing proves that it was this address',
  sender_denied: 'an owner has blocked this address',
};

/** The same as a tool tells of it. What stands in it is what strangers wrote. */
export const toldOfRefused = (one: RefusedOne, timezone: string): RefusedSender => ({
  from: one.from ?? '?',
  calls_itself: one.name,
  ...(one.namesake === null ? {} : { has_the_name_of: one.namesake }),
  ...(one.isAnswer ? { written_as_an_answer_to_nothing: true as const } : {}),
  mails: one.mails,
  subject: one.newest.subject,
  last_at: localTime(timezone, one.newest.received_at),
  why: WHY[one.newest.code ?? ''] ?? one.newest.code ?? 'refused',
});
