function inBodies
    include_global

B1 = Body_struct;      % crank
B1.m = 1; B1.J = 0.1; B1.theta = pi/3; B1.theta_d = 2*pi;
B2 = Body_struct;      % rod
B2.m = 2; B2.J = 0.2; B2.theta = -0.6; B2.p = 1;
B3 = Body_struct; B3.m = 4; B3.J = 0.4; ...
    B3.theta = 0.4;
B3.shape = 'rect'; B3.W = 0.04; B3.H = 0.02;
Bodies = [B1; B2; B3];
