import type { ScriptedCall } from '../../fakes/model-script.ts';

/** A mail, what a good model does with it, and what the gateway has to say below its answer. */
export interface NaturalCase {
  readonly id: string;
  /** Default: an owner. */
  readonly from?: 'owner' | 'member';
  readonly mail: string;
  /** Turns of calls before the answer. */
  readonly calls?: readonly (readonly ScriptedCall[])[];
  readonly answer: string;
  /** What an owner answers to the questions that come of it, in order. */
  readonly owner?: readonly string[];
  readonly receipt?: readonly string[];
  /** Nothing was done that was to be done. */
  readonly isPartial?: boolean;
}

type Args = { readonly [key: string]: string | readonly string[] };

export const does = (name: string, args: Args): ScriptedCall => ({ name, arguments: args });
export const saves = (path: string, content = 'Text.'): ScriptedCall => does('write_file', { path, content });
export const reads = (path: string): ScriptedCall => does('read_file', { path });
export const edits = (path: string, old_text: string, new_text: string): ScriptedCall =>
  does('edit_file', { path, old_text, new_text });
export const deletes = (path: string): ScriptedCall => does('delete_file', { path });
export const writesTo = (to: string, subject: string, body = 'Hello.'): ScriptedCall =>
  does('send_email', { to: [to], subject, body });

/** Whom a rule lets the persona write to. */
export const JANA = 'jana@partner.example';
export const PETRA = 'petra@partner.example';
/** Whom it has never written to. */
export const TIM = 'tim@elsewhere.example';
