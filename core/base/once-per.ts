/** Keeps what is computed from an object for as long as the object exists. */

/** A function that computes its value once for each object. */
export function oncePer<K extends WeakKey, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}

/** The same for pairs of objects. */
export function oncePerPair<A extends WeakKey, B extends WeakKey, V>(
  compute: (one: A, other: B) => V,
): (one: A, other: B) => V {
  const ofOne = oncePer((one: A) => oncePer((other: B) => compute(one, other)));
  return (one, other) => ofOne(one)(other);
}
