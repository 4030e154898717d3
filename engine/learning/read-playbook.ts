import { z } from 'zod';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, readJson } from '../lib/json.ts';
import {
  MAX_PLAYBOOK_CHARS,
  type NotLoaded,
  type Playbook,
  type PlaybookMeta,
  playbookBody,
  playbookMeta,
} from '../record/codec/playbook.ts';
import { beyondCeiling, type Ceiling } from './ceiling.ts';
import { playbookProblems } from './versions/playbook-problems.ts';

export type ReadPlaybook =
  | { readonly ok: true; readonly playbook: Playbook }
  | {
      readonly ok: false;
      readonly reason: Extract<NotLoaded, 'syntax' | 'meta_threw' | 'meta_invalid'>;
      readonly detail: string;
    };

const withMeta = z.looseObject({ meta: anyJson.optional() });

/**
 * The playbook in a text, where it is one for this kind and stays within what the persona may use; only the parts that
 * its meta names. Never throws.
 */
export function readPlaybook(text: string, kind: string, ceiling: Ceiling): ReadPlaybook {
  const refused = (reason: Extract<ReadPlaybook, { ok: false }>['reason'], detail: string): ReadPlaybook => ({
    ...{ ok: false, reason, detail: detail.slice(0, 500) },
  });
  try {
    if (text.length > MAX_PLAYBOOK_CHARS) return refused('syntax', `it has more than ${MAX_PLAYBOOK_CHARS} characters`);
    const raw = readJson(withMeta, text);
    if (raw === undefined) return refused('syntax', 'it is no JSON object');
    const { meta: rawMeta, ...rest } = raw;
    const body = playbookBody.safeParse(rest);
    if (!body.success) return refused('syntax', playbookProblems(body.error.issues, rest, []));
    const meta = playbookMeta.safeParse(rawMeta);
    if (!meta.success) return refused('meta_invalid', playbookProblems(meta.error.issues, rawMeta, ['meta']));
    if (meta.data.kind !== kind) return refused('meta_invalid', `it is for ${meta.data.kind}, not for ${kind}`);
    const playbook = exposed({ ...body.data, meta: meta.data });
    const beyond = beyondCeiling(playbook, ceiling);
    if (beyond.length > 0) return refused('meta_invalid', `the persona may not use ${beyond.join(', ')}`);
    return { ok: true, playbook };
  } catch (error) {
    return refused('meta_threw', messageOf(error));
  }
}

/** Nothing of it but what its meta names. */
function exposed(playbook: Playbook): Playbook {
  const has = (name: PlaybookMeta['capabilities'][number]) => playbook.meta.capabilities.includes(name);
  return {
    meta: playbook.meta,
    advice: has('advice') ? playbook.advice : '',
    steps: has('steps') ? playbook.steps : [],
    narrow: { deny: has('narrow') ? playbook.narrow.deny : [] },
    defaults: has('defaults') ? playbook.defaults : {},
    requires: has('requires') ? playbook.requires : [],
    stop: has('stop') ? playbook.stop : [],
    answer: has('answer') ? playbook.answer : '',
  };
}
