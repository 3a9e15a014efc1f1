/** Makes names unique by a number: `city`, `city_2`. No number makes a name that is `taken`, or that another one has. */
export function uniqueNames(wanted: readonly string[], taken: Set<string>): string[] {
  const all = new Set(wanted);
  const next = new Map<string, number>();
  return wanted.map((name) => {
    let own = name;
    let number = next.get(name) ?? 2;
    while (taken.has(own) || (own !== name && all.has(own))) own = `${name}_${number++}`;
    next.set(name, number);
    taken.add(own);
    return own;
  });
}
