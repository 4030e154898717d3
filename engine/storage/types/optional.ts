/** `Whole` without having to give these: the store sets null, or what the column begins with. */
export type Optional<Whole, Keys extends keyof Whole> = Omit<Whole, Keys> & Partial<Pick<Whole, Keys>>;
