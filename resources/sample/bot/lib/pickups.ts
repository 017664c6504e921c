// The couriers that are booked, as lib/pickups.py keeps them.

export const PICKUPS = 'pickups';

export interface Pickup {
  number: number;
  courier: string;
  at: string;
  parcels: string[];
  booked_by: string;
  confirmed: boolean;
}
