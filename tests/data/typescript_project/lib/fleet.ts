import bikes from '../data/bikes.json';
import { perDay } from '@hire/money/words';
import type { Bike, BikeKind } from './types';

export const KINDS = ['city', 'cargo', 'racing'] as const satisfies readonly BikeKind[];

export class Fleet {
  readonly #byId: Map<string, Bike>;

  constructor(private readonly bikes: readonly Bike[]) {
    this.#byId = new Map(bikes.map((bike) => [bike.id, bike]));
  }

  find(id: string): Bike | undefined {
    return this.#byId.get(id);
  }

  ofKind(kind?: BikeKind, minSize = 0): Bike[] {
    return this.bikes.filter((bike) => (kind === undefined || bike.kind === kind) && bike.size >= minSize);
  }

  static describe(bike: Bike): string {
    return `${bike.id} (${bike.kind}, ${bike.size} cm) at ${perDay(bike.perDay)}`;
  }
}

export const fleet = new Fleet(bikes as Bike[]);
