function CutJoint(check, theta, theta_d, t)
include_global
dcut1 = Points(5).rP;
u3 = Uvectors(2).u;
C = [s_rot(dcut1)  unknown_matrix  -u3
     1 0 0];
if check == 1
    gap = Points(5).rP - Points(6).rP;
    Phi = [gap
           (theta(1) - pi/3 - 2*pi*t)];
elseif check == 2
    rhsV = [0
            0
            2*pi];
end
end
