/** What a call would change, for the person who is asked about it. */
export interface Preview {
  /** Such as a diff: plain text, shown word for word. */
  readonly text: string;
  /** Stands for what the call would act on; another one later means that this is not what was approved. */
  readonly basis: string;
  /** Files that are put beside the question, so that a person can look at them whole. */
  readonly attachments?: readonly PreviewFile[];
}

export interface PreviewFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}
