/** All events that a hook can listen to. docs/hooks.md says when each is told. The one list of these names. */
export const HOOK_EVENT_NAMES = [
  'gateway_started',
  'gateway_stopping',
  'run_started',
  'run_ended',
  'tool_called',
  'tool_ended',
  'approval_requested',
  'approval_decided',
  'task_due',
  'task_ended',
  'delivery_sent',
  'delivery_failed',
  'delivery_bounced',
  'memory_written',
  'playbook_selected',
  'playbook_outcome',
  'playbook_refined',
] as const;

export type HookEventName = (typeof HOOK_EVENT_NAMES)[number];

interface RunBegun {
  readonly thread_id: string;
  readonly kind: 'message' | 'task' | 'delegation';
  /** The Message-ID of the mail that it works on; of a task's run the gateway made one. */
  readonly message_id: string;
}

interface Delivery {
  readonly outbox_id: string;
  readonly message_id: string;
  /** `reply`, `notice`, `approval` and so on, as `X-Epistle-Kind` has it. */
  readonly kind: string;
  readonly to: readonly string[];
}

/** What each event carries. Mail stands in it by its Message-ID, never by its words. */
export interface HookEventData extends Record<HookEventName, object> {
  readonly gateway_started: { readonly pid: number };
  readonly gateway_stopping: { readonly pid: number };
  readonly run_started: RunBegun;
  readonly run_ended: {
    readonly status: string;
    readonly outcome: string | null;
    readonly code: string | null;
  } & RunBegun & {
      /** Of the answer; null where the run ended without one. */
      readonly reply_message_id: string | null;
    };
  readonly tool_called: { readonly call_id: string; readonly tool: string; readonly risk: string };
  readonly tool_ended: {
    readonly call_id: string;
    readonly tool: string;
    readonly ok: boolean;
    /** Of a failure. */
    readonly code: string | null;
  };
  readonly approval_requested: { readonly approval_id: string; readonly tool: string; readonly risk: string };
  readonly approval_decided: {
    readonly approval_id: string;
    readonly tool: string;
    /** What became of the question: `approved`, `rejected`, `expired` and so on. */
    readonly state: string;
    /** Who decided; null where its time ran out. */
    readonly by: string | null;
  };
  readonly task_due: { readonly task: string; readonly due_at: string };
  readonly task_ended: {
    readonly task: string;
    readonly due_at: string;
    readonly status: string;
    readonly outcome: string | null;
    readonly code: string | null;
  };
  readonly delivery_sent: Delivery;
  readonly delivery_failed: Delivery & { readonly error: string | null };
  readonly delivery_bounced: Delivery;
  /** Reserved: nothing tells it yet. */
  readonly memory_written: { readonly key: string };
  readonly playbook_selected: {
    /** Of work: `answer`, `task:report`. */
    readonly kind: string;
    readonly loaded: boolean;
    /** Why none was; null where one was. */
    readonly reason: string | null;
    /** The number of the version; null where there is none. */
    readonly version: number | null;
    /** What it may do: `none`, `assisted`, `filter` or `policy`; and whether its outcomes or an owner's setting decided. */
    readonly mode: string;
    readonly by: string;
  };
  readonly playbook_outcome: {
    readonly kind: string;
    readonly version_id: string | null;
    readonly mode: string;
    readonly succeeded: boolean;
    readonly failed: boolean;
    readonly followed: boolean;
  };
  readonly playbook_refined: {
    readonly kind: string;
    readonly accepted: boolean;
    /** Why not; null where it was. */
    readonly reason: string | null;
    readonly from_version: number | null;
    readonly to_version: number | null;
  };
}

type WithoutRun =
  | 'gateway_started'
  | 'gateway_stopping'
  | 'task_due'
  | 'delivery_sent'
  | 'delivery_failed'
  | 'delivery_bounced';

type EventOf<Name extends HookEventName> = {
  readonly name: Name;
  /** Null where it is of the gateway as a whole. */
  readonly persona: Name extends 'gateway_started' | 'gateway_stopping' ? null : string;
  /** Null where no run had a part in it. */
  readonly runId: Name extends WithoutRun ? string | null : string;
  readonly data: HookEventData[Name];
};

/** One thing that happened. `name` tells which, and with it what `data` has. */
export type HookEvent<Names extends HookEventName = HookEventName> = { [Name in Names]: EventOf<Name> }[Names];
