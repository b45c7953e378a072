function inForces
    include_global
S1 = Force_struct; S1.type = 'user';
S2 = Force_struct; S2.type = 'weight'; S2.gravity = 9.81;
Forces = [S1; S2];
