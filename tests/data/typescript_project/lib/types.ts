export type BikeKind = 'city' | 'cargo' | 'racing';

export interface Bike {
  id: string;
  kind: BikeKind;
  size: number;
  /** Cents. */
  perDay: number;
}

export enum HireState {
  Open = 'open',
  Returned = 'returned',
}

export interface Hire {
  bikeId: string;
  days: number;
  state: HireState;
}
