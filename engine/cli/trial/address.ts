import type { Fault } from '../../mailbox/faults/fault.ts';
import { mailOf, trialId } from './letter.ts';
import { type Traveller, travel } from './trip.ts';

/**
 * One mail from the mailbox to another address, which has to arrive in it: whether its server takes mail to that address.
 * Null: it does. Never throws.
 */
export async function tryAddress(traveller: Traveller, from: string, newId: () => string): Promise<Fault | null> {
  const id = newId();
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const raw = mailOf({ id, domain, from, to: traveller.address, forged: [] });
  const trip = await travel(traveller, { messageId: trialId(id, domain), from, raw });
  return trip.ok ? null : trip.fault;
}
