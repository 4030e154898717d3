/** A provider and the vendor's id of one of its models. */
export interface Target {
  readonly provider: string;
  readonly model: string;
}
