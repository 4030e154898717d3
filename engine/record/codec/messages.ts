import { z } from 'zod';
import type { ModelMessage } from '#contract';
import { parseJson } from '../../lib/json.ts';

/** Messages are written by the gateway alone and sent on byte for byte, so no copy is made of them. */
const messages = z.custom<readonly ModelMessage[]>(
  (given) => Array.isArray(given) && given.every((message) => typeof message === 'object' && 'role' in message),
);

/** What a model was shown of a mail, from `messages.rendered_json` or the event that holds it instead. */
export const readMessages = (text: string): readonly ModelMessage[] => parseJson(messages, text);
