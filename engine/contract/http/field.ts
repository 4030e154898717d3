/** A field of what may be no object at all: what vendors answer and SDKs throw has no shape to rely on. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
