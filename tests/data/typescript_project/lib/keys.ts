export const hireKey = (bikeId: string): `hire:${string}` => `hire:${bikeId}`;
