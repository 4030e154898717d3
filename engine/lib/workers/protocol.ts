/** What crosses the border to a worker thread. */
export type ToWorker<Request, Answer> =
  | { readonly kind: 'job'; readonly id: number; readonly request: Request }
  | { readonly kind: 'answer'; readonly question: number; readonly answer: Answer };

export type FromWorker<Outcome, Question> =
  /** Sent once, when the thread has loaded: from then on time counts. */
  | { readonly kind: 'ready' }
  /** The thread computes for this job alone, until it asks something or is done. */
  | {
      readonly kind: 'turn';
      readonly id: number;
      /** Processor time of the thread so far. */
      readonly beginsAtMs: number;
    }
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly question: number;
      readonly what: Question;
      /** Processor time of the turn that ends here. */
      readonly cpuMs: number;
    }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly outcome: Outcome;
      readonly cpuMs: number;
      /** What the thread has taken from the system by now. */
      readonly heldMb: number;
    };
