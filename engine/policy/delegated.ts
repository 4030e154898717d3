import type { Packet } from '../storage/types/suspensions.ts';
import type { Narrow } from './surface.ts';

/** What a child run is told whatever way it tries to reach what it was not handed. */
export const CONTEXT_DENIED =
  "Context access denied: a child run cannot read its parent's transcript. Request a handoff from the parent.";
/** In `by` of what is refused for that. */
export const BY_DELEGATION = 'delegation';
export const DELEGATE = 'delegate';

/**
 * What a child run may use: what it was handed of what its parent may. Mail but for attachments and tables that were handed over, memory, tasks, the shell and questions to
 * owners are never among it, nor is a change of files; its own results it may look at.
 */
export const narrowingOfChild = ({ tools }: Pick<Packet, 'tools'>): Narrow => {
  const named = new Set([...tools, 'resolve_ref']);
  const refused = { code: 'policy_denied', by: BY_DELEGATION } as const;
  return ({ name, scope, asks }) => {
    if (!named.has(name) || asks === true) return refused;
    if (name === 'resolve_ref' || name === DELEGATE) return null;
    const isClosed = /^(?:mail|memory|shell):/.test(scope) || /^(?:files|schedule):(?!read)/.test(scope);
    return isClosed && !OPEN.has(name) ? refused : null;
  };
};

/** What the owner has put there for all runs, and what reads of mail only what was handed over. */
const OPEN: ReadonlySet<string> = new Set(['search_knowledge', 'read_knowledge', 'read_attachment', 'query_table']);
