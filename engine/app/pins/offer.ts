import { z } from 'zod';
import { hashOfPins, type Pin, type ServerPins } from '../../extensions/pins/difference.ts';
import { readJson } from '../../lib/json.ts';
import type { ToolQuestion } from '../../storage/types/gateway.ts';

// All tools of a server as a mail showed them, kept until it is answered.

const pin = z.object({
  description_sha256: z.string(),
  schema_sha256: z.string(),
  only_reads: z.boolean(),
  destroys: z.boolean(),
  description: z.string(),
  schema: z.string(),
});
const stored = z.array(z.tuple([z.string(), pin]));

export const offerOf = (tools: ServerPins): Pick<ToolQuestion, 'offer' | 'offer_sha256'> => ({
  offer: JSON.stringify([...tools]),
  offer_sha256: hashOfPins(tools),
});

/** Null where it is not what was asked about. */
export function offerIn({
  offer,
  offer_sha256: hash,
}: Pick<ToolQuestion, 'offer' | 'offer_sha256'>): ServerPins | null {
  const tools = new Map<string, Pin>(readJson(stored, offer) ?? []);
  return hashOfPins(tools) === hash ? tools : null;
}
